import { createMessage } from './createMessage.ts';
import { deleteMessage } from './deleteMessage.ts';

/** The methods of messages. */
export const messageMethods = {
  createMessage,
  deleteMessage,
} as const;
