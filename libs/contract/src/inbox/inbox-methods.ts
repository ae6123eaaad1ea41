import { getInboxMessages } from './getInboxMessages.ts';
import { inboxStatus } from './inboxStatus.ts';

export const inboxMethods = {
  getInboxMessages,
  inboxStatus,
} as const;
