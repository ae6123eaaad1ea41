import { createMessage } from './createMessage.ts';

/** The methods of messages. */
export const messageMethods = {
  createMessage,
} as const;
