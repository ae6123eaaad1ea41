import type { messageMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { createMessage } from './createMessage.ts';

export const messageHandlers = {
  createMessage,
} satisfies Serves<typeof messageMethods>;
