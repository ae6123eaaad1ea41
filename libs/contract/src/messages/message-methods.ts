import { createMessage } from './createMessage.ts';
import { createTargetedMessage } from './createTargetedMessage.ts';
import { deleteMessage } from './deleteMessage.ts';

/** The methods of messages. */
export const messageMethods = {
  createMessage,
  createTargetedMessage,
  deleteMessage,
} as const;
