import type { Call, Context } from '../../context.ts';
import { createMessages, type MessagesAsked } from './createMessage.ts';
import { type Asked, notificationPaths } from './draft.ts';

/** A message of a method for one channel. */
export type ChannelMessage = Omit<Asked, 'paths' | 'isAlwaysStored'>;

/** Creates the messages of a method for one channel, which are in the history however few they name. Returns their codes, in order. */
export async function createChannelMessages(
  to: Pick<MessagesAsked, 'applications' | 'group'>,
  messages: readonly ChannelMessage[],
  context: Context,
  call: Call,
): Promise<string[]> {
  const asked = messages.map((message, index) => ({
    ...message,
    paths: notificationPaths(index),
    isAlwaysStored: true,
  }));
  const { created } = await createMessages({ ...to, asked }, context, call);
  return created.map(({ answer }) => answer);
}
