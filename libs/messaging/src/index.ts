export {
  buildStatisticsHash,
  DEVICE_PART_MAX,
  type HashedDevice,
  type HashedMessage,
  hashPrefix,
  parseStatisticsHash,
  type StatisticsHash,
  writeDevicePart,
} from './statistics-hash.ts';
export {
  CODE_NOT_AVAILABLE,
  completeMessage,
  type Created,
  createMessage,
  type CreateMessage,
  evolveMessage,
  type Message,
  type Transaction,
  TRANSACTION_MS,
} from './message.ts';
export {
  filledText,
  type Format,
  formatted,
  parseTemplate,
  type Placeholder,
  requestValue,
  tagsOf,
  type Template,
  textFor,
  valueText,
  type Variables,
  variablesOf,
} from './template.ts';
export {
  badge,
  badgeText,
  type CompiledPayload,
  compilePayload,
  type DeviceColumns,
  type Encoding,
  type Fragment,
  type Hole,
  json,
  object,
  type OutgoingMessage,
  rawJson,
  statisticsHash,
  type TemplateContext,
  text,
  token,
  trimmable,
  url,
} from './payload.ts';
export { PayloadWriter } from './payload-writer.ts';
export { apnsKind, apnsPayload, type ApnsPayloadKind } from './apns-payload.ts';
export { fcmPayload, fitsFcm } from './fcm-payload.ts';
