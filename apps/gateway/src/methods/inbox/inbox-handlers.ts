import type { inboxMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { getInboxMessages } from './getInboxMessages.ts';
import { inboxStatus } from './inboxStatus.ts';

export const inboxHandlers = {
  getInboxMessages,
  inboxStatus,
} satisfies Serves<typeof inboxMethods>;
