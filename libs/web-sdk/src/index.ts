export type { Failure, FailureCode } from './failure.ts';
export type { Inbox, InboxMessage, InboxStatus } from './inbox.ts';
export type { Push } from './notification.ts';
export { connect } from './connect.ts';
export type { ConnectOptions, SubscriptionState, TagValue, WebDevice } from './web-device.ts';
