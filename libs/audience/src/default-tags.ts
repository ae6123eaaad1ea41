import { TagType } from '@tidings/events';

export interface TagDefinition {
  readonly number: number;
  readonly name: string;
  readonly type: TagType;
  readonly applicationSpecific: boolean;
}

const define = (number: number, name: string, type: TagType): TagDefinition => ({
  number,
  name,
  type,
  applicationSpecific: true,
});

export const FIRST_OWN_TAG = 64;

/** Encodes the type and sharing. @param index of all own tags ever made */
export const tagNumber = (index: number, type: TagType, applicationSpecific: boolean): number =>
  FIRST_OWN_TAG + index * 16 + type * 2 + (applicationSpecific ? 0 : 1);

export const isSharedTag = (number: number): boolean => number >= FIRST_OWN_TAG && number % 2 === 1;

/** Numbers are stored and never change (R-RES17). */
export const defaultTags = {
  language: define(1, 'Language', TagType.TAG_TYPE_STRING),
  country: define(2, 'Country', TagType.TAG_TYPE_STRING),
  city: define(3, 'City', TagType.TAG_TYPE_STRING),
  timezone: define(4, 'Timezone', TagType.TAG_TYPE_INTEGER),
  applicationVersion: define(5, 'Application Version', TagType.TAG_TYPE_VERSION),
  osVersion: define(6, 'OS Version', TagType.TAG_TYPE_VERSION),
  deviceModel: define(7, 'Device Model', TagType.TAG_TYPE_STRING),
  firstInstall: define(8, 'First Install', TagType.TAG_TYPE_DATE),
  lastApplicationOpen: define(9, 'Last Application Open', TagType.TAG_TYPE_DATE),
  pushAlertsEnabled: define(10, 'Push Alerts Enabled', TagType.TAG_TYPE_BOOLEAN),
  inAppProduct: define(11, 'In-app Product', TagType.TAG_TYPE_LIST),
  inAppPurchase: define(12, 'In-app Purchase', TagType.TAG_TYPE_INTEGER),
  lastInAppPurchaseDate: define(13, 'Last In-app Purchase Date', TagType.TAG_TYPE_DATE),
  unsubscribedEmails: define(14, 'Unsubscribed Emails', TagType.TAG_TYPE_BOOLEAN),
  unsubscribedCategories: define(15, 'Unsubscribed Categories', TagType.TAG_TYPE_LIST),
} as const satisfies Record<string, TagDefinition>;

export const defaultTagList: readonly TagDefinition[] = Object.values(defaultTags);

const defaultTypes = new Map(defaultTagList.map(({ number, type }) => [number, type]));

/** Types never change, so no cached tags are needed. */
export const tagTypeOf = (number: number): TagType =>
  number >= FIRST_OWN_TAG
    ? ((number - FIRST_OWN_TAG) % 16) >> 1
    : (defaultTypes.get(number) ?? TagType.TAG_TYPE_UNSPECIFIED);

/** The name is empty. */
export const tagWithNumber = (number: number): TagDefinition => ({
  number,
  name: '',
  type: tagTypeOf(number),
  applicationSpecific: !isSharedTag(number),
});
