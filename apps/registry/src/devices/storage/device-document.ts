import { defaultTags, type Device, type TagEntry } from '@tidings/audience';
import { Long } from 'mongodb';

/**
 * A device as the collection `devices` holds it: what the log's events come to, with self-reported state in `self`. An absent field is unset: nothing
 * is stored as null but a removed `self.open`. Tags stand in the order of their numbers; `TagEntry` says what `v` is for each type.
 */
export interface DeviceDocument extends Omit<Device, 'user' | 'owners'> {
  /** `<application>:<hwidHash>`. */
  readonly _id: string;
  /** Absent where it is the hwid hash: most devices never get a user id (R-RES3), and a key in an index is paid for by each of them. */
  readonly user?: string;
  /** Absent where the device has always belonged to its person. */
  readonly owners?: Device['owners'];
  /** Number of the last commit that changed it. */
  readonly rev: number;
}

/** What the driver makes of an integer beyond 2^53 - 1. */
const isLong = ({ v }: TagEntry): boolean => Long.isLong(v);

/** Tags as they were read, with integers as `exactInteger` has them. */
const exactTags = (tags: readonly TagEntry[]): readonly TagEntry[] =>
  tags.some(isLong)
    ? tags.map((entry) => (isLong(entry) ? { ...entry, v: (entry.v as unknown as Long).toBigInt() } : entry))
    : tags;

/** A document, or a part of it, whose tags can be looked at: every one that was read by the driver passes here. */
export const withExactTags = <Part extends Partial<Pick<DeviceDocument, 'tags'>>>(read: Part): Part => {
  const tags = read.tags && exactTags(read.tags);
  return tags === read.tags ? read : { ...read, tags };
};

/** The device that a document stands for. */
export const deviceOf = (document: DeviceDocument): Device => ({
  ...withExactTags(document),
  user: document.user ?? document.hwidHash,
  owners: document.owners ?? [{ user: document.hwidHash, from: document.createdAt }],
});

export type { SelfReportedState, TagEntry as StoredTag } from '@tidings/audience';

export const DEVICES = 'devices';
/** Idempotency-Keys in use, in the logs of the devices that they guard (architecture 4, "Once"). */
export const KEYS = 'keys';

/** Tags whose values are fields of the document rather than entries of `tags`, by number. */
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
  /** { app, user } of devices with a user id */
  user: 'app_user',
  /** { app, tz, seq } of devices with a time zone */
  timezone: 'app_tz_seq',
  /** { hwidHash } */
  hwidHash: 'hwidHash',
  /** { app, self.open, seq } of devices that were opened */
  activity: 'app_open_seq',
} as const;
