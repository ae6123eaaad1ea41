export { api, groups } from './api.ts';
export { secretOf } from './authorization.ts';
export {
  CLOUD_EVENTS_BATCH,
  cloudEventJson,
  cloudEventSchema,
  isJsonEvent,
  kafkaEventOf,
  kafkaHeadersSchema,
} from './events/cloud-event.ts';
export { type EventData, eventDataOf, eventDataSchema } from './events/event-data.ts';
export { eventExamples } from './events/event-examples.ts';
export { eventJson, protoEventSchema } from './events/proto-json.ts';
export type { StreamedEvent } from './events/streamed-event.ts';
export { explainAnswers } from './admin/explain.ts';
export { switchedPlatforms } from './applications/setApplicationPlatformStatus.ts';
export { admin } from './families/admin.ts';
export { audience } from './families/audience.ts';
export {
  BODY_LIMIT_BYTES,
  type BodyLimits,
  bodyLimitsOf,
  REQUEST_MS,
  SMALL_BODY_BYTES,
  UPLOAD_MS,
} from './families/define.ts';
export { apiV2 } from './families/api-v2.ts';
export { json13 } from './families/json13.ts';
export { disposableFault, EMAIL_ONLY, emailFault } from './fields/email-address.ts';
export { pushUrlOf } from './fields/push-token.ts';
export { dayNames } from './geozones/timetable.ts';
export { type BulkEntry, MAX_OPEN_JOBS, MAX_OPEN_MEBIBYTES, NO_PLATFORM } from './audience/bulk.ts';
export type { GivenContent, Notification } from './messages/notification.ts';
export { NOT_AFTER_SEND } from './messages/inbox.ts';
export { UNREADABLE_DATE } from './messages/send-date.ts';
export type { NotifyMessage } from './notify/notify.ts';
export type { FilterCondition, StructuredFilter } from './notify/filter.ts';
export type { Recipients } from './messages/recipients.ts';
export type { TagCondition } from './messages/conditions.ts';
export type { Example, Family, InputOf, Method, OutputOf, Request, Scope, Verb } from './method.ts';
export { platformWordOf } from './statistics/platform-words.ts';
export { conformanceCases, type ConformanceCase } from './conformance.ts';
export { choicesOf } from './presence.ts';
export { LongInteger, withText } from './long-integer.ts';
export { isWellFormed, markedAs, wellFormed, withLoneSurrogates } from './lone-surrogates.ts';
export { isObject, TEXT_LIMIT } from './values.ts';
