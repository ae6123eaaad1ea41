import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { ownerOf } from './inbox-owner.ts';

export const getInboxMessages: Handler<typeof api.getInboxMessages, 'inbox' | 'inboxLimits'> = async (
  input,
  context,
  call,
) => {
  const { last_code: before = '', count = 0 } = input;
  const { entries, deleted, fresh } = await context.inbox.list({
    owner: ownerOf(input, context, call),
    before,
    count,
  });
  return {
    messages: entries.map(({ message, order, removal, saved, title, text, image, status, hash, ...action }) => ({
      inbox_id: message,
      order,
      rt: String(removal),
      send_date: String(saved),
      title,
      text,
      action_type: action.actionType,
      action_params: action.actionParams,
      image,
      status,
      hash,
    })),
    // Unchanged when nothing is left: a client's loop ends with an empty page.
    next: entries.at(-1)?.order ?? before,
    deleted,
    new_inbox: fresh,
  };
};
