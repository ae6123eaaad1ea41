import { defaultTags, type Device } from '@tidings/audience';

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

export const DEVICES = 'devices';

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
