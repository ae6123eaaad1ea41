import { defaultTags } from '@tidings/audience';
import type { Db, IndexDescription } from 'mongodb';

/** One value of a tag; a list has an entry per item, in order. Nothing here is longer than an index key may be. */
export interface StoredTag {
  /** The tag's number in its account; default tags have fixed ones (`defaultTags`). */
  readonly k: number;
  /**
   * What conditions compare:
   * Integer, Decimal: the number · Boolean: true or false · Date: milliseconds since 1970, whole minutes ·
   * String, List item: the text, cut to 64 code points · Version: its order key (`versionKey`): ASCII, never cut, and the operands of a
   * condition on a Version tag are such keys already, so that comparing text bytewise is enough.
   */
  readonly v: string | number | boolean;
  /** The value as it was given, where `v` is not: a String or List item of more than 64 code points, and every Version. */
  readonly s?: string;
}

/** What the device says about itself: written beside the log and lost with nothing (architecture 4). All times are milliseconds since 1970. */
export interface DeviceNotes {
  /** Last Application Open, and the device's last activity. */
  readonly open?: number | null;
  /** Base of "+n" badges (R-C9). */
  readonly badge?: number;
  /** When a push token was last registered, the same one again included (R-P2). */
  readonly tokenAt?: number;
}

/** A device as the collection `devices` holds it. An absent field is unset: nothing is stored as null. */
export interface DeviceDocument {
  /** `<application>:<person>`. */
  readonly _id: string;
  /** Number of the last commit that changed it. */
  readonly rev: number;
  readonly account: string;
  /** Code of the application. */
  readonly app: string;
  /** HMAC of (account, hwid): the same in sister applications. */
  readonly person: string;
  /** The device's number in the application, from 0, 32 bits (a double from 2^31 on). */
  readonly seq: number;
  /** 1 = present; 0 = deleted: then nothing is left but the fields above, and whoever scans skips it. */
  readonly status: 0 | 1;
  readonly hwid: string;
  readonly platform: number;
  /** The push token; lower case on iOS. */
  readonly token?: string;
  /** HMAC of the token, the only indexed form. */
  readonly th?: string;
  /** HMAC of (account, user id); equals `person` where the user id is the hwid. */
  readonly user: string;
  /** The user id; absent where it is the hwid (R-RES3). */
  readonly userId?: string;
  /** Tag `Language`. */
  readonly lang?: string;
  /** Tag `Timezone`: seconds east of UTC. */
  readonly tz?: number;
  /** Tag `Push Alerts Enabled`; absent = unset, which counts as displayable (R-H13). */
  readonly alerts?: boolean;
  /** Control-group bucket, 0 to 9999 (R-E15). */
  readonly cg: number;
  /** All other tags. */
  readonly tags: readonly StoredTag[];
  readonly idfa?: string;
  /** Web push. */
  readonly publicKey?: string;
  readonly authToken?: string;
  readonly fcmToken?: string;
  readonly fcmPushSet?: string;
  /** Who the device belonged to and from when, oldest first; the last is `user`. */
  readonly owners: readonly { readonly user: string; readonly from: number }[];
  /** When it was first registered. */
  readonly createdAt: number;
  readonly self?: DeviceNotes;
}

export const DEVICES = 'devices';

/** Tags whose values are fields of the document rather than entries of `tags`, by number. */
export const tagFields: ReadonlyMap<number, 'lang' | 'tz' | 'alerts' | 'self.open'> = new Map([
  [defaultTags.language.number, 'lang'],
  [defaultTags.timezone.number, 'tz'],
  [defaultTags.pushAlertsEnabled.number, 'alerts'],
  [defaultTags.lastApplicationOpen.number, 'self.open'],
]);

/** Names of the indexes, for hints. */
export const deviceIndexes = {
  /** { app, seq }, unique */
  seq: 'app_seq',
  /** { app, tags.k, tags.v, seq } */
  tags: 'app_tags_seq',
  /** { app, th } */
  token: 'app_token',
  /** { app, user } */
  user: 'app_user',
  /** { app, tz, seq } */
  timezone: 'app_tz_seq',
  /** { person } */
  person: 'person',
  /** { app, self.open, seq } */
  activity: 'app_open_seq',
} as const;

const indexes: readonly IndexDescription[] = [
  { name: deviceIndexes.seq, key: { app: 1, seq: 1 }, unique: true },
  { name: deviceIndexes.tags, key: { app: 1, 'tags.k': 1, 'tags.v': 1, seq: 1 } },
  { name: deviceIndexes.token, key: { app: 1, th: 1 }, partialFilterExpression: { th: { $exists: true } } },
  { name: deviceIndexes.user, key: { app: 1, user: 1 } },
  { name: deviceIndexes.timezone, key: { app: 1, tz: 1, seq: 1 } },
  { name: deviceIndexes.person, key: { person: 1 } },
  { name: deviceIndexes.activity, key: { app: 1, 'self.open': 1, seq: 1 } },
];

/** Makes the collection and its indexes where they are missing. */
export async function prepareDevices(db: Db): Promise<void> {
  await db.collection(DEVICES).createIndexes([...indexes]);
}
