import { defaultTags, type TagDefinition } from '@tidings/audience';
import { ACTIVITY_TOKEN, type DeviceField } from '@tidings/channels';
import type { Circle } from '@tidings/events';
import type { Predicate } from '@tidings/segments';

/** The results of a predicate's conditions on siblings. */
export interface SiblingResults {
  /** Whether the device with this hash has a sibling that meets a condition, by the condition's index. */
  meets(hwidHash: string, condition: number): boolean;
}

/** The data of each device that a scan needs in addition to the common data of batches. */
export interface Wanted {
  /** Devices that do not match are omitted. */
  readonly predicate?: Predicate | undefined;
  /** The results of the predicate's conditions on siblings. @default no device has a sibling */
  readonly siblings?: SiblingResults | undefined;
  /** Devices whose location is not in it are omitted. */
  readonly circle?: Circle | undefined;
  /** Tags whose values are written to the columns as text; undefined for a name that is not a tag. */
  readonly values?: readonly (TagDefinition | undefined)[];
  /** Device fields that are written to the columns. @default none */
  readonly fields?: readonly DeviceField[];
  /** The live activity whose token is the field `activityToken`, a keyed hash. @default "", none */
  readonly activity?: string;
  /** Read the badge that the device has set, and when. */
  readonly badge?: boolean;
  /** Other languages are read as none: a batch has room for 255, and devices may have thousands. @default all */
  readonly languages?: ReadonlySet<string> | undefined;
}

/** The field of the document that holds a device field: tokens of live activities are in a list. */
const storedAs = (field: DeviceField): string => (field === ACTIVITY_TOKEN ? 'activities' : field);

/** Tags that are stored as fields, by tag number. */
export const fieldTags = {
  lang: defaultTags.language,
  tz: defaultTags.timezone,
  alerts: defaultTags.pushAlertsEnabled,
  open: defaultTags.lastApplicationOpen,
} as const;

/** Traits of a device are stored as fields, too. */
const isField = (number: number): boolean =>
  number < 0 || Object.values(fieldTags).some((tag) => tag.number === number);

/** The fields of these tags that not every projection has. */
const fieldsOf = (numbers: readonly number[]): Record<string, 0 | 1> => ({
  ...(numbers.some((number) => !isField(number)) ? { tags: 1 } : {}),
  ...(numbers.includes(fieldTags.tz.number) ? { tz: 1 } : {}),
  ...(numbers.includes(fieldTags.open.number) ? { 'self.open': 1 } : {}),
});

const tagsOf = ({ predicate }: Pick<Wanted, 'predicate'>): readonly number[] =>
  predicate?.tags.map(({ tag }) => tag) ?? [];

/** The projection of a scan: exactly the fields that `DeviceReader` reads. */
export function projectionOf(wanted: Wanted): Record<string, 0 | 1> {
  return {
    _id: 0,
    seq: 1,
    status: 1,
    platform: 1,
    token: 1,
    lang: 1,
    alerts: 1,
    cg: 1,
    hwidHash: 1,
    ...fieldsOf([...tagsOf(wanted), ...(wanted.values?.flatMap((tag) => (tag ? [tag.number] : [])) ?? [])]),
    ...Object.fromEntries((wanted.fields ?? []).map((field) => [storedAs(field), 1 as const])),
    ...(wanted.badge ? { 'self.badge': 1, 'self.setBadges': 1 } : {}),
    ...(wanted.circle ? { 'self.place': 1 } : {}),
  };
}

/** The projection of siblings: what a predicate of conditions on tags needs. */
export const siblingProjection = (predicate: Predicate): Record<string, 0 | 1> => ({
  _id: 0,
  status: 1,
  lang: 1,
  alerts: 1,
  hwidHash: 1,
  ...fieldsOf(tagsOf({ predicate })),
});
