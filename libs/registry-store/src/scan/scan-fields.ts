import { defaultTags, type TagDefinition } from '@tidings/audience';
import { ACTIVITY_TOKEN, type DeviceField } from '@tidings/channels';
import type { Circle } from '@tidings/events';
import type { Predicate } from '@tidings/segments';

export interface SiblingResults {
  meets(hwidHash: string, condition: number): boolean;
}

export interface ScanFields {
  readonly predicate?: Predicate | undefined;
  readonly siblings?: SiblingResults | undefined;
  readonly circle?: Circle | undefined;
  readonly values?: readonly (TagDefinition | undefined)[];
  readonly fields?: readonly DeviceField[];
  readonly activity?: string;
  readonly badge?: boolean;
  /** Others are read as none: a batch has room for 255. */
  readonly languages?: ReadonlySet<string> | undefined;
}

const storedAs = (field: DeviceField): string => (field === ACTIVITY_TOKEN ? 'activities' : field);

export const fieldTags = {
  lang: defaultTags.language,
  tz: defaultTags.timezone,
  alerts: defaultTags.pushAlertsEnabled,
  open: defaultTags.lastApplicationOpen,
} as const;

const isField = (number: number): boolean =>
  number < 0 || Object.values(fieldTags).some((tag) => tag.number === number);

const fieldsOf = (numbers: readonly number[]): Record<string, 0 | 1> => ({
  ...(numbers.some((number) => !isField(number)) ? { tags: 1 } : {}),
  ...(numbers.includes(fieldTags.tz.number) ? { tz: 1 } : {}),
  ...(numbers.includes(fieldTags.open.number) ? { 'self.open': 1 } : {}),
});

const tagsOf = ({ predicate }: Pick<ScanFields, 'predicate'>): readonly number[] =>
  predicate?.tags.map(({ tag }) => tag) ?? [];

export function projectionOf(scanFields: ScanFields): Record<string, 0 | 1> {
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
    ...fieldsOf([...tagsOf(scanFields), ...(scanFields.values?.flatMap((tag) => (tag ? [tag.number] : [])) ?? [])]),
    ...Object.fromEntries((scanFields.fields ?? []).map((field) => [storedAs(field), 1 as const])),
    ...(scanFields.badge ? { 'self.badge': 1, 'self.setBadges': 1 } : {}),
    ...(scanFields.circle ? { 'self.place': 1 } : {}),
  };
}

export const siblingProjection = (predicate: Predicate): Record<string, 0 | 1> => ({
  _id: 0,
  status: 1,
  lang: 1,
  alerts: 1,
  hwidHash: 1,
  ...fieldsOf(tagsOf({ predicate })),
});
