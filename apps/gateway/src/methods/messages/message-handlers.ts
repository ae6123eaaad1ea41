import type { messageMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { createMessage } from './createMessage.ts';
import { deleteMessage } from './deleteMessage.ts';

export const messageHandlers = {
  createMessage,
  deleteMessage,
} satisfies Serves<typeof messageMethods>;
