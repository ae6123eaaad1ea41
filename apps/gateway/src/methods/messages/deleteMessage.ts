import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { hasAccess } from '../../auth/application-access.ts';
import type { Handler } from '../../context.ts';

export const deleteMessage: Handler<typeof api.deleteMessage, 'access' | 'messages'> = async (
  { code },
  context,
  call,
) => {
  const { account } = call;
  const { message: found } = await context.messages.find({ account, code });
  if (!found) throw Fault.argument('Message not found');
  for (const application of found.message?.applications ?? []) {
    // The token must cover all of its applications (R-T7).
    if (!(await hasAccess(context, call, application))) throw Fault.argument('Message not found');
  }
  await context.messages.cancel({ account, code: found.code });
};
