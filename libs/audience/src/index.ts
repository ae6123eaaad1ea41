export type { AddressAction, AddressState } from './account/addresses.ts';
export { type MailSender, mailSendersOf } from './account/mail-senders.ts';
export { campaignNameKey, type CampaignState } from './account/campaigns.ts';
export type { GeozoneClusterState, GeozoneDraft, GeozonePatch, GeozoneState } from './account/geozones.ts';
export type { ClearOrphans, Orphans } from './account/orphans.ts';
export { ownerOf, type PresetState } from './account/presets.ts';
export type { Application, ApplicationGroup, PlatformSettings } from './account/application.ts';
export { type AccountAction, decideAccount } from './account/decide.ts';
export {
  type AccessToken,
  type Account,
  type AccountState,
  type AccountTarget,
  as,
  DEFAULT_ACCOUNT,
  evolveAccountState,
  targetsOf,
} from './account/state.ts';
export type { Filter, LiveFilter } from './account/filters.ts';
export type { Senders } from './account/senders.ts';
export { fitTags, MAX_TAGS_AT_ONCE, type MissingTag, type TagState } from './account/tags.ts';
export { type TestDevice, testDeviceHash, testDevicePositions, type TestDevicesState } from './account/test-devices.ts';
export { roomForTags, type UsageState } from './account/usage.ts';
export { daysAgoCondition, expressionOf, tagCondition } from './conditions.ts';
export { DENIED, FORBID } from './account/account-view.ts';
export { withOffsets } from './offset-condition.ts';
export {
  defaultTagList,
  defaultTags,
  FIRST_OWN_TAG,
  isSharedTag,
  type TagDefinition,
  tagNumber,
  tagTypeOf,
  tagWithNumber,
} from './default-tags.ts';
export type {
  BeforeRegistration,
  DeviceAction,
  DeviceDecision,
  NewToken,
  NewUser,
  RegisterDevice,
} from './device/action.ts';
export { newPlatformIn } from './device/action.ts';
export { decide } from './device/decide.ts';
export type { DeviceIdentity } from './device/events.ts';
export {
  type ActivityToken,
  type Device,
  type SelfReportedState,
  entriesIn,
  evolve,
  isPresent,
  lastActivity,
  tokenTime,
} from './device/device.ts';
export { ownerAt } from './device/owners.ts';
export { redacted } from './device/redacted.ts';
export { lacksAddress } from './device/device-tokens.ts';
export { inheritedTagsOf } from './device/inherited-tags.ts';
export { unsubscribesOf } from './device/unsubscribes.ts';
export {
  type CanonicalContact,
  hwidCheckOf,
  canonicalContact,
  deviceIdOf,
  deviceLogOf,
  keyedId,
  logOf,
  hwidHashOf,
} from './identity.ts';
export { formatDate, MINUTE_MS } from './tags/date.ts';
export { distanceMeters, latitudesAround, type Place } from './geozones/distance.ts';
export { isOpen } from './geozones/timetable.ts';
export { zoneTexts } from './geozones/texts.ts';
export { type Addressee, cooldownsOf, type EnteredZone, isSend, sendingZones, type Visitor } from './geozones/visit.ts';
export { entriesOf, type TagEntry, valueOf } from './tags/entries.ts';
export { isTimezone, parseLanguage } from './tags/languages.ts';
export { type ListOperator, parseTagWrite, type TagWrite, typeName } from './tags/operations.ts';
export { dateValue, isWithin, outputOf, plainText, type TagOutput, type Value, wrongValue } from './tags/value.ts';
export { versionKey } from './tags/version.ts';
