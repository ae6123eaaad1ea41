export { ACCOUNTS, addressId, ADDRESSES, APPLICATIONS, TAGS, TEST_DEVICES } from './configuration/collection-names.ts';
export { applicationIn, type Configuration, openConfiguration, type Versioned } from './configuration/configuration.ts';
export { openTags, TAG_MAX_AGE_MS, type Tags, type TagSet } from './configuration/tag-cache.ts';
export { testDevicesOf } from './configuration/test-devices.ts';
export { type DeviceDocument, deviceIndexes, DEVICES, tagFields } from './devices/device-document.ts';
export {
  hasCategory,
  readSuppressed,
  type SuppressedContacts,
  suppressedSince,
  type SuppressionQuery,
} from './devices/suppressed-contacts.ts';
export { countedPage, type CountedPageDocument, pageAt, pagesOf, type StoredSends } from './plans/counted-pages.ts';
export { codeIn, LATE_MS, type OutgoingDocument, type RemovedDocument } from './plans/outgoing-document.ts';
export { BADGE_BLOCKS, COUNTED_PAGES, FANOUTS, OUTGOING, planIndexes, PLANS } from './plans/plan-collections.ts';
export {
  badgesOf,
  eventIn,
  type FanoutState,
  type InboxScope,
  type PlanDocument,
  planEventCodec,
  plannedOf,
  type SliceCount,
} from './plans/plan-document.ts';
export { Columns, LONG_TOKEN, LONG_VALUES, NOT_DISPLAYABLE, SUPPRESSED_FLAGS } from './scan/columns.ts';
export { DeviceReader } from './scan/read-device.ts';
export { DeviceScan, type Extras } from './scan/scan.ts';
export { Texts } from './scan/texts.ts';
export { projectionOf, type ScanFields } from './scan/scan-fields.ts';
export { accountsModel, applicationsModel, tagsModel, testDevicesModel } from './storage/configuration.schema.ts';
export { devicesModel } from './storage/devices.schema.ts';
export { outgoingModel, plansModel, withTheMessage } from './storage/plans.schema.ts';
