export { getInboxMessages } from './getInboxMessages.ts';
export { inboxStatus } from './inboxStatus.ts';
