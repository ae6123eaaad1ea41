export { APPLICATION_LEASE_MS } from './application-lease.ts';
export { inProcess, type ServiceDefinition } from './binding.ts';
export { faultOfView, viewOfFault } from './fault-view.ts';
export { rendezvous } from './grpc/rendezvous.ts';
export {
  inProcessServices,
  type RpcServices,
  type Served,
  servedBy,
  servedByEveryProcess,
  type ServicesOf,
} from './rpc-services.ts';
export {
  OpenDeletion,
  type Operations,
  OperationsDefinition,
  SettledRequest,
} from './generated/tidings/rpc/v1/operations.ts';
export {
  ChangeGeozoneRequest,
  GeozoneDraft,
  type Geozones,
  ListGeozonesReply,
} from './generated/tidings/rpc/v1/geozones.ts';
export {
  type CountInboxReply,
  type Inbox,
  InboxEntry,
  InboxOwner,
  ListInboxReply,
} from './generated/tidings/rpc/v1/inbox.ts';
export {
  ListPresetsReply,
  type Presets,
  ResolvePresetsRequest,
  UsablePreset,
} from './generated/tidings/rpc/v1/presets.ts';
export {
  AcceptJobRequest,
  ArchivePlace,
  ExportInput,
  FindJobRequest,
  JobEntry,
  PartEntries,
  JobRow,
  JobEntryView,
  type Jobs,
  JobsDefinition,
  JobStatus,
  JobView,
  StorePartRequest,
} from './generated/tidings/rpc/v1/jobs.ts';
export {
  type Accounts,
  AccountsDefinition,
  ListAccountsReply,
  ListGroupsReply,
} from './generated/tidings/rpc/v1/accounts.ts';
export {
  type Addresses,
  AddressRequest,
  ListSuppressedReply,
  type ListSuppressedRequest,
  SuppressionReason,
} from './generated/tidings/rpc/v1/addresses.ts';
export {
  type Applications,
  type ApplicationSettings,
  ApplicationView,
  type MailSender,
  type PlatformSettings,
} from './generated/tidings/rpc/v1/applications.ts';
export {
  BatchEntry,
  BindUser,
  ContactsOfSlice,
  DescribeRequest,
  DeviceBatch,
  DeviceBatchReply,
  DeviceCommand,
  DeviceCommands,
  DeviceDescription,
  DeviceReplies,
  DeviceReply,
  type GetTagsReply,
  DeviceRecord,
  type DeviceRegistration,
  FindDevicesRequest,
  type Devices,
  EntryOutcome,
  EntryStatus,
  ListOperator,
  MergeUserRequest,
  Open,
  PlanOfChunk,
  Purchase,
  RecordEvent,
  Register,
  ResolveDevicesRequest,
  SetActivityToken,
  SetTags,
  ShownBadges,
  SuppressedContacts,
} from './generated/tidings/rpc/v1/devices.ts';
export { FaultView } from './generated/tidings/rpc/v1/faults.ts';
export { ConfigurePlatformRequest, type Platforms, SealedCredential } from './generated/tidings/rpc/v1/platforms.ts';
export {
  AddMissingTagsRequest,
  MissingTag,
  type Tags,
  TagsDefinition,
  TagView,
} from './generated/tidings/rpc/v1/tags.ts';
export {
  ListTestDevicesReply,
  OpenAccess,
  SetTestDeviceRequest,
  type TestDeviceList,
} from './generated/tidings/rpc/v1/test_devices.ts';
export { RateLimit, type Tokens, TokenScope, TokenView } from './generated/tidings/rpc/v1/tokens.ts';
export {
  ChooseLookupRequest,
  DeviceFields,
  FilterView,
  Grant,
  ListFiltersReply,
  RecipientsFound,
  RecipientsQuery,
  ScannedDevice,
  ScannedDevices,
  ScanRequest,
  type Segments,
  SelectedApplication,
  Selection,
  SelectRequest,
  TagColumn,
} from './generated/tidings/rpc/v1/segments.ts';
export {
  type Providers,
  ProvidersDefinition,
  ProviderView,
  type ThrottledService,
} from './generated/tidings/rpc/v1/providers.ts';
export { type Attempts, DeviceAttempt, ProviderAnswer } from './generated/tidings/rpc/v1/attempts.ts';
export { FindSentValuesRequest, type SentValues } from './generated/tidings/rpc/v1/sent_values.ts';
export { PlannedDevice, type Plans, PlansOfDeviceReply } from './generated/tidings/rpc/v1/plans.ts';
export {
  AcceptMessagesRequest,
  CreatedMessage,
  FindMessageReply,
  ListMessagesReply,
  ListMessagesRequest,
  type Messages,
  MessagesDefinition,
  MessageView,
  MessageRequest,
  UnknownContacts,
} from './generated/tidings/rpc/v1/scheduler.ts';
export { type DeadLetters, type DeadLetterView } from './generated/tidings/rpc/v1/dead_letters.ts';
export {
  DeviceOutcome,
  FunnelChannel,
  FunnelCount,
  FunnelError,
  FunnelReply,
  FunnelStage,
  HourTotals,
  PlatformCount,
  PlatformMetrics,
  type Statistics,
  StatisticsDefinition,
  ReplayView,
  TotalsReply,
} from './generated/tidings/rpc/v1/statistics.ts';
export {
  ChangeSubscriptionRequest,
  type EventHistory,
  type Subscriptions,
  SubscriptionsDefinition,
  SubscriptionView,
  TextList,
} from './generated/tidings/rpc/v1/webhooks.ts';
export {
  Attributes,
  WebhookRequest,
  WebhookResponse,
  type WebhookService,
} from './generated/tidings/rpc/webhook_service.ts';
export { EventStreamDefinition } from './generated/tidings/events/v1/event_stream.ts';
export {
  AudienceReply,
  AudienceRequest,
  type Audiences,
  Conditions,
  FilterCondition,
  FilterGroup,
  FilterReference,
  Names,
  PresetFilter,
  Recipients,
  ResolvedAudience,
} from './generated/tidings/rpc/v1/audiences.ts';
export { MessageRefusal } from './generated/tidings/rpc/v1/refusals.ts';
