import { defaultTags, type Device, type TagEntry } from '@tidings/audience';
import { Long } from 'mongodb';

/**
 * A device in the collection `devices`: the state from the log's events, with self-reported state in `self`. An absent field is unset: only a removed
 * `self.open` is stored as null. Tags are ordered by number; `TagEntry` documents `v` for each type.
 */
export interface DeviceDocument extends Omit<Device, 'user' | 'owners'> {
  /** `<application>:<hwidHash>`. */
  readonly _id: string;
  /** Absent if it equals the hwid hash: most devices never get a user id (R-RES3), and each index key has a cost. */
  readonly user?: string;
  /** Absent if the device has always had its default owner. */
  readonly owners?: Device['owners'];
  /** Number of the last commit that changed it. */
  readonly rev: number;
}

/** Whether the driver decoded an integer beyond 2^53 - 1. */
const isLong = ({ v }: TagEntry): boolean => Long.isLong(v);

/** Tags as read, with integers in the form of `exactInteger`. */
const exactTags = (tags: readonly TagEntry[]): readonly TagEntry[] =>
  tags.some(isLong)
    ? tags.map((entry) => (isLong(entry) ? { ...entry, v: (entry.v as unknown as Long).toBigInt() } : entry))
    : tags;

/** A document, or a part of it, with exact tags. Every document from the driver must pass through here before its tags are read. */
export const withExactTags = <Part extends Partial<Pick<DeviceDocument, 'tags'>>>(read: Part): Part => {
  const tags = read.tags && exactTags(read.tags);
  return tags === read.tags ? read : { ...read, tags };
};

/** The device of a document. */
export const deviceOf = (document: DeviceDocument): Device => ({
  ...withExactTags(document),
  user: document.user ?? document.hwidHash,
  owners: document.owners ?? [{ user: document.hwidHash, from: document.createdAt }],
});

export type { SelfReportedState, TagEntry as StoredTag } from '@tidings/audience';

export const DEVICES = 'devices';
/** Idempotency-Keys in use, in the logs of their devices (architecture 4, "Once"). */
export const KEYS = 'keys';

/** Tags stored in fields of the document rather than in `tags`, by number. */
export const tagFields: ReadonlyMap<number, 'lang' | 'tz' | 'alerts' | 'self.open'> = new Map([
  [defaultTags.language.number, 'lang'],
  [defaultTags.timezone.number, 'tz'],
  [defaultTags.pushAlertsEnabled.number, 'alerts'],
  [defaultTags.lastApplicationOpen.number, 'self.open'],
]);

/** Names of the indexes, for hints. */
export const deviceIndexes = {
  /** { app, seq } */
  seq: 'app_seq',
  /** { app, tags.k, tags.v, seq } */
  tags: 'app_tags_seq',
  /** { app, th } of devices with a token */
  token: 'app_token',
  /** { app, owners.user } of devices that have, or had, a user id */
  owners: 'app_owners',
  /** { app, tz, seq } of devices with a time zone */
  timezone: 'app_tz_seq',
  /** { hwidHash } */
  hwidHash: 'hwidHash',
  /** { app, self.open, seq } of devices whose app was opened */
  activity: 'app_open_seq',
  /** { app, activities.k, seq } of devices with tokens of live activities */
  activities: 'app_activities_seq',
} as const;
