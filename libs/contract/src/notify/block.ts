import { z } from 'zod';
import { androidFields } from '../messages/android.ts';
import { badge, iosFields, ttl } from '../messages/ios.ts';
import { jsonObject } from '../messages/texts.ts';
import { notServedYet, object, optional, text } from '../values.ts';

type WithoutPrefix<Prefix extends string, Fields> = {
  [Name in keyof Fields as Name extends `${Prefix}${infer Rest}` ? Rest : never]: Fields[Name];
};

/** The fields of a platform by their names without it (R-O1). */
const withoutPrefix = <Prefix extends string, Fields extends object>(prefix: Prefix, fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name.slice(prefix.length), field as unknown]),
  ) as WithoutPrefix<Prefix, Fields>;

const SECONDS = /^(\d{1,9})s$/;

/** A time to live: seconds, or `<n>s`. */
const duration = z
  .unknown()
  .transform((value) => (typeof value === 'string' ? value.replace(SECONDS, '$1') : value))
  .pipe(ttl)
  .meta({
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: '^\\d{1,9}s?$' },
    ],
  });

const texts = { title: optional(text), subtitle: optional(text), body: optional(text), inbox: notServedYet };

const { apns_trim_content: _trim, ...ownIosFields } = iosFields;
const {
  title: _iosTitle,
  subtitle: _iosSubtitle,
  content: _iosBody,
  ...iosSettings
} = withoutPrefix('ios_', ownIosFields);
const { header: _header, content: _androidBody, ...androidSettings } = withoutPrefix('android_', androidFields);

const defaultBlock = object({
  ...texts,
  ...{ root_params: optional(jsonObject), sound: optional(text), badges: optional(badge), ttl: optional(duration) },
});
const iosBlock = object({ ...texts, ...iosSettings, ttl: optional(duration) });
const androidBlock = object({
  ...texts,
  ...{ header: optional(text), content: optional(text), ...androidSettings },
  ...{ ttl: optional(duration), gcm_ttl: optional(duration) },
});
/** Of a platform that has no devices: it is checked, and serves nobody. */
const idleBlock = object({ title: optional(text), subtitle: optional(text), body: optional(text) });

/** The blocks of one locale by platform; `default` serves the platforms that have none there (R-O4). */
export const blocks = object({
  default: optional(defaultBlock),
  ios: optional(iosBlock),
  android: optional(androidBlock),
  huawei_android: notServedYet,
  baidu_android: optional(idleBlock),
  mac_os: notServedYet,
  amazon: notServedYet,
  windows: notServedYet,
  safari: notServedYet,
  chrome: notServedYet,
  firefox: notServedYet,
  ie: optional(idleBlock),
  sms: notServedYet,
});

export type Blocks = z.output<typeof blocks>;
