import { defaultTags, type Device } from '@tidings/audience';

/** An absent field is unset. Tags are ordered by number. */
export interface DeviceDocument extends Omit<Device, 'user' | 'owners'> {
  readonly _id: string;
  /** Absent if it equals the hwid hash (R-RES3): each index key has a cost. */
  readonly user?: string;
  readonly owners?: Device['owners'];
  readonly rev: number;
}

export const DEVICES = 'devices';

export const tagFields: ReadonlyMap<number, 'lang' | 'tz' | 'alerts' | 'self.open'> = new Map([
  [defaultTags.language.number, 'lang'],
  [defaultTags.timezone.number, 'tz'],
  [defaultTags.pushAlertsEnabled.number, 'alerts'],
  [defaultTags.lastApplicationOpen.number, 'self.open'],
]);

export const deviceIndexes = {
  seq: 'app_seq',
  tags: 'app_tags_seq',
  token: 'app_token',
  owners: 'app_owners',
  timezone: 'app_tz_seq',
  hwidHash: 'hwidHash',
  activity: 'app_open_seq',
  activities: 'app_activities_seq',
} as const;
