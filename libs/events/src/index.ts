export { asyncApiText } from './asyncapi.ts';
export { bytesOf, written } from './bytes.ts';
export { partialDecoder } from './partial-decoder.ts';
export { publicTopics, shownAs, shownRecord } from './public-records.ts';
export { type FactReader, facts } from './readers.ts';
export { batchesTopic, subscriberTopic, type Topic, topicNames, topics } from './topics.ts';
export {
  All,
  Any,
  Audience,
  DateOperand,
  Circle,
  Expression,
  NamedRecipients,
  OffsetRange,
  Offsets,
  Operand,
  Operator,
  Selection,
  TagCondition,
  TagType,
} from './generated/tidings/events/v1/audience.ts';
export { CredentialReference, SendBatch, Slice } from './generated/tidings/events/v1/batches.ts';
export {
  AndroidContent,
  ChromeContent,
  Content,
  EmailContent,
  InboxContent,
  InboxPicture,
  FirefoxContent,
  SafariContent,
  KakaoContent,
  TemplateValue,
  WhatsAppContent,
  SmsContent,
  IosContent,
  LiveActivity,
  LiveActivityEvent,
  LineContent,
  LineTemplate,
  LocaleSettings,
  MacContent,
  type MailAddress,
  type MailAttachment,
  Localized,
  LocalizedEntry,
  OpenAction,
  WindowsContent,
} from './generated/tidings/events/v1/content.ts';
export { Conversion } from './generated/tidings/events/v1/conversions.ts';
export { Erasure } from './generated/tidings/events/v1/erasures.ts';
export { FanoutTask } from './generated/tidings/events/v1/fanout.ts';
export { Geozone, GeozoneCluster, Timetable } from './generated/tidings/events/v1/geozones.ts';
export {
  ExportFormat,
  JobAccepted,
  JobEvent,
  JobFailure,
  JobKind,
  JobPartProcessed,
} from './generated/tidings/events/v1/jobs.ts';
export {
  ActionLink,
  LocalTime,
  MessageAccepted,
  type MessagePurged,
  Reach,
  MessageEvent,
  OffsetStep,
  PastOffsets,
} from './generated/tidings/events/v1/messages.ts';
export { BouncedSet, DeadToken, SentSet, SliceOutcome, SliceSettled } from './generated/tidings/events/v1/outcomes.ts';
export {
  BadgeBlock,
  BadgeChange,
  BadgesAllotted,
  ChunkPlanned,
  FailedSet,
  FanoutPlanned,
  InboxAudience,
  PlanEvent,
} from './generated/tidings/events/v1/plans.ts';
export { Campaign, Preset } from './generated/tidings/events/v1/presets.ts';
export { MailOpen, type ReportedEntry, ReportKind, Reports } from './generated/tidings/events/v1/reports.ts';
export { VisitEvent } from './generated/tidings/events/v1/visits.ts';
export { Stamp } from './generated/tidings/events/v1/stamp.ts';
export {
  EventFormat,
  EventsEnqueued,
  EnqueuedKind,
  EventDetails,
  ReportsPending,
  type SubscriptionCampaign,
  SubscriptionSettings,
  WebhookEvent,
} from './generated/tidings/events/v1/webhooks.ts';
