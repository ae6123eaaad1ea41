import { getInboxMessages } from './getInboxMessages.ts';
import { inboxStatus } from './inboxStatus.ts';

/** The methods of inboxes. */
export const inboxMethods = {
  getInboxMessages,
  inboxStatus,
} as const;
