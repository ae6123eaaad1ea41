import { z } from 'zod';
import { amazonFields } from '../messages/amazon.ts';
import { androidFields } from '../messages/android.ts';
import { chromeFields, firefoxFields } from '../messages/browsers.ts';
import { huaweiFields } from '../messages/huawei.ts';
import { inboxFields } from '../messages/inbox.ts';
import { badge, iosFields, ttl } from '../messages/ios.ts';
import { macFields } from '../messages/mac.ts';
import { safariFields } from '../messages/safari.ts';
import { jsonObject } from '../messages/texts.ts';
import { lacksNotification, windowsFields } from '../messages/windows.ts';
import { array, object, optional, text } from '../values.ts';

type WithoutPrefix<Prefix extends string, Fields> = {
  [Name in keyof Fields as Name extends `${Prefix}${infer Rest}` ? Rest : never]: Fields[Name];
};

/** The fields of a platform by their names without it (R-O1). */
const withoutPrefix = <Prefix extends string, Fields extends object>(prefix: Prefix, fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name.slice(prefix.length), field as unknown]),
  ) as WithoutPrefix<Prefix, Fields>;

const SECONDS = /^(\d{1,9}(?:\.0{1,9})?)s$/;

/** A time to live: whole seconds, or such a number followed by `s`, which may have a fraction of zeros. */
const duration = z
  .unknown()
  .transform((value) => (typeof value === 'string' ? value.replace(SECONDS, '$1') : value))
  .pipe(ttl)
  .meta({
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: '^\\d{1,9}(\\.0{1,9})?s?$' },
    ],
  });

/** The inbox fields of a block: a date without its time, and the URL of a picture (R-I21). */
const inbox = object({ image_url: inboxFields.inbox_image, expiration_date: inboxFields.inbox_date });

const texts = {
  title: optional(text),
  subtitle: optional(text),
  body: optional(text),
  inbox: optional(inbox),
};

const { apns_trim_content: _trim, ...ownIosFields } = iosFields;
const {
  title: _iosTitle,
  subtitle: _iosSubtitle,
  content: _iosBody,
  ...iosSettings
} = withoutPrefix('ios_', ownIosFields);
const { header: _header, content: _androidBody, ...androidSettings } = withoutPrefix('android_', androidFields);
const { title: _chromeTitle, ...chromeSettings } = withoutPrefix('chrome_', chromeFields);
const { title: _firefoxTitle, ...firefoxSettings } = withoutPrefix('firefox_', firefoxFields);

const defaultBlock = object({
  ...texts,
  root_params: optional(jsonObject),
  sound: optional(text),
  badges: optional(badge),
  ttl: optional(duration),
});
const iosBlock = object({ ...texts, ...iosSettings, content: optional(text), ttl: optional(duration) });
const androidBlock = object({
  ...texts,
  header: optional(text),
  content: optional(text),
  ...androidSettings,
  ttl: optional(duration),
  gcm_ttl: optional(duration),
});
const macBlock = object({ ...texts, ...withoutPrefix('mac_', macFields), ttl: optional(duration) });
const chromeBlock = object({
  ...texts,
  ...chromeSettings,
  root_params: optional(jsonObject),
  ttl: optional(duration),
  gcm_ttl: optional(duration),
});
const firefoxBlock = object({
  ...texts,
  ...firefoxSettings,
  root_params: optional(jsonObject),
  ttl: optional(duration),
});
/** The block of a platform without devices: it is checked and serves no device. */
const idleBlock = object({ title: optional(text), subtitle: optional(text), body: optional(text) });

const { title: _safariTitle, ...safariSettings } = withoutPrefix('safari_', safariFields);
const safariBlock = object({ ...texts, ...safariSettings, ttl: optional(duration) }).check(({ value, issues }) => {
  const hasOwn = [value.action, value.url_args, value.ttl].some((field) => field !== undefined);
  if (!hasOwn || value.title !== undefined) return;
  issues.push({ code: 'custom', message: 'must be set', path: ['title'], input: value });
});
const huaweiBlock = object({
  ...texts,
  ...withoutPrefix('huawei_android_', huaweiFields),
  header: optional(text),
  content: optional(text),
  ttl: optional(duration),
  gcm_ttl: optional(duration),
});
const amazonBlock = object({
  ...texts,
  ...withoutPrefix('adm_', amazonFields),
  header: optional(text),
  badges: optional(badge),
  ttl: optional(duration),
});
const windowsBlock = object({
  ...texts,
  ...withoutPrefix('wns_', windowsFields),
  ttl: optional(duration),
}).check(({ value, issues }) => {
  if (!lacksNotification(value.type, value.content)) return;
  issues.push({ code: 'custom', message: 'must be set', path: ['content'], input: value });
});
const smsBlock = object({
  body: optional(text),
  subject: optional(text),
  file_urls: optional(
    array(text.refine((url) => url.startsWith('https://'), 'must be a URL of https')).max(10, 'at most 10 entries'),
  ),
});

/** The blocks of one locale by platform; `default` serves the platforms that have none there (R-O4). */
export const blocks = object({
  default: optional(defaultBlock),
  ios: optional(iosBlock),
  android: optional(androidBlock),
  huawei_android: optional(huaweiBlock),
  baidu_android: optional(idleBlock),
  mac_os: optional(macBlock),
  amazon: optional(amazonBlock),
  windows: optional(windowsBlock),
  safari: optional(safariBlock),
  chrome: optional(chromeBlock),
  firefox: optional(firefoxBlock),
  ie: optional(idleBlock),
  sms: optional(smsBlock),
}).refine((given) => Object.values(given).some((block) => block !== undefined), 'must have a block');

export type Blocks = z.output<typeof blocks>;
