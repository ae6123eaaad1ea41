import { z } from 'zod';
import { amazonFields } from '../messages/amazon.ts';
import { androidFields } from '../messages/android.ts';
import { chromeFields, firefoxFields } from '../messages/browsers.ts';
import { huaweiFields } from '../messages/huawei.ts';
import { inboxFields } from '../messages/inbox.ts';
import { badge, iosFields, sound, ttl } from '../messages/ios.ts';
import { macFields } from '../messages/mac.ts';
import { safariFields } from '../messages/safari.ts';
import { jsonObject } from '../messages/texts.ts';
import { lacksNotification, windowsFields } from '../messages/windows.ts';
import { array, object, optional, text } from '../values.ts';

type WithoutPrefix<Prefix extends string, Fields> = {
  [Name in keyof Fields as Name extends `${Prefix}${infer Rest}` ? Rest : never]: Fields[Name];
};

const withoutPrefix = <Prefix extends string, Fields extends object>(prefix: Prefix, fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name.slice(prefix.length), field as unknown]),
  ) as WithoutPrefix<Prefix, Fields>;

const SECONDS = /^(\d{1,9}(?:\.0{1,9})?)s$/;

/** Whole seconds, or such a number followed by `s`, maybe with a fraction of zeros. */
const duration = z
  .unknown()
  .transform((value) => (typeof value === 'string' ? value.replace(SECONDS, '$1') : value))
  .pipe(ttl)
  .meta({
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: '^\\d{1,9}(\\.0{1,9})?s?$' },
    ],
  })
  .describe(
    'Seconds for which the provider keeps the push for an unreachable device: a number, or text such as `60s`.',
  );

const inbox = object({
  image_url: inboxFields.inbox_image.describe(
    'URL of a picture for the entry, which may contain placeholders and differ between blocks: the picture of the ' +
      'first block that names one if left out.',
  ),
  expiration_date: inboxFields.inbox_date.describe(
    'Day after the day of the send on which the entry leaves inboxes, in UTC: `YYYY-MM-DD`, or a time that is cut to ' +
      'its date. It may differ between blocks: the day of the first block that names one if left out, else the day ' +
      'after the send.',
  ),
});

const texts = {
  title: optional(text).describe('Title. It may contain placeholders.'),
  subtitle: optional(text).describe('Line below the title, on iOS. It may contain placeholders.'),
  body: optional(text).describe('Text of the message. It may contain placeholders.'),
  inbox: optional(inbox).describe(
    'Saves the message to inboxes. A user has one entry of it, which leaves all inboxes at one time.',
  ),
};

const { apns_trim_content: _trim, ...ownIosFields } = iosFields;
const {
  title: _iosTitle,
  subtitle: _iosSubtitle,
  content: _iosBody,
  ...iosSettings
} = withoutPrefix('ios_', ownIosFields);
const { header: _header, content: _androidBody, ...androidSettings } = withoutPrefix('android_', androidFields);
const macSettings = withoutPrefix('mac_', macFields);
const { title: _chromeTitle, ...chromeSettings } = withoutPrefix('chrome_', chromeFields);
const { title: _firefoxTitle, ...firefoxSettings } = withoutPrefix('firefox_', firefoxFields);

const defaultBlock = object({
  ...texts,
  root_params: optional(jsonObject).describe('Members for the payload root.'),
  sound: optional(sound),
  badges: optional(badge),
  ttl: optional(duration),
});
const iosBlock = object({
  ...texts,
  ...iosSettings,
  category_custom: iosSettings.category_custom.describe(
    'Category of the notification by name. Takes precedence over `category_id`.',
  ),
  trim_content: iosFields.apns_trim_content,
  content: optional(text).describe('Another name of `body`.'),
  ttl: optional(duration),
});
const androidBlock = object({
  ...texts,
  header: optional(text).describe('Another name of `title`.'),
  content: optional(text).describe('Another name of `body`.'),
  ...androidSettings,
  ttl: optional(duration),
  gcm_ttl: optional(duration).describe('Another name of `ttl`.'),
});
const macBlock = object({
  ...texts,
  ...macSettings,
  root_params: macSettings.root_params.describe(
    'Members for the payload root, `aps` included: at most 256 bytes as JSON.',
  ),
  ttl: optional(duration),
});
const chromeBlock = object({
  ...texts,
  ...chromeSettings,
  icon: chromeSettings.icon.describe('URL of the icon.'),
  duration: chromeSettings.duration.describe(
    'Seconds for which the notification is shown; 0 keeps it until somebody reacts to it.',
  ),
  button_text1: chromeSettings.button_text1.describe('Label of the first button. It may contain placeholders.'),
  button_text2: chromeSettings.button_text2.describe('Label of the second button. It may contain placeholders.'),
  root_params: optional(jsonObject).describe('Members for the payload root, such as options of the notification.'),
  ttl: optional(duration),
  gcm_ttl: optional(duration).describe('Another name of `ttl`.'),
});
const firefoxBlock = object({
  ...texts,
  ...firefoxSettings,
  icon: firefoxSettings.icon.describe('URL of the icon.'),
  root_params: optional(jsonObject).describe('Members for the payload root, such as options of the notification.'),
  ttl: optional(duration),
});
/** Checked, but serves no device. */
const idleBlock = object({ title: texts.title, subtitle: texts.subtitle, body: texts.body });

const { title: _safariTitle, ...safariSettings } = withoutPrefix('safari_', safariFields);
const safariBlock = object({
  ...texts,
  ...safariSettings,
  action: safariSettings.action.describe('Label of the button.'),
  url_args: safariSettings.url_args.describe('Values for the placeholders in the URL of the website push.'),
  ttl: optional(duration),
}).check(({ value, issues }) => {
  const hasOwn = [value.action, value.url_args, value.ttl].some((field) => field !== undefined);
  if (!hasOwn || value.title !== undefined) return;
  issues.push({ code: 'custom', message: 'must be set', path: ['title'], input: value });
});
const huaweiBlock = object({
  ...texts,
  ...withoutPrefix('huawei_android_', huaweiFields),
  header: optional(text).describe('Another name of `title`.'),
  content: optional(text).describe('Another name of `body`.'),
  ttl: optional(duration),
  gcm_ttl: optional(duration).describe('Another name of `ttl`.'),
});
const amazonBlock = object({
  ...texts,
  ...withoutPrefix('adm_', amazonFields),
  header: optional(text).describe('Another name of `title`.'),
  badges: optional(badge),
  ttl: optional(duration),
});
const windowsSettings = withoutPrefix('wns_', windowsFields);
const windowsBlock = object({
  ...texts,
  ...windowsSettings,
  content: windowsSettings.content.describe(
    'The notification in base64, or by language; without it the texts are shown as a toast.',
  ),
  type: windowsSettings.type.describe('Kind of the notification, `Toast` if left out.'),
  tag: windowsSettings.tag.describe('Tag by which a later tile replaces this one.'),
  cache: windowsSettings.cache.describe('1 lets the provider keep the notification for an unreachable device.'),
  ttl: optional(duration),
}).check(({ value, issues }) => {
  if (!lacksNotification(value.type, value.content)) return;
  issues.push({ code: 'custom', message: 'must be set', path: ['content'], input: value });
});
const smsBlock = object({
  body: texts.body,
  subject: optional(text).describe('Subject of an MMS.'),
  file_urls: optional(
    array(text.refine((url) => url.startsWith('https://'), 'must be a URL of https')).max(10, 'at most 10 entries'),
  ).describe('Up to 10 URLs of files of an MMS, all https.'),
});

export const blocks = object({
  default: optional(defaultBlock).describe('The block of every platform that has none in the locale.'),
  ios: optional(iosBlock).describe('The block of iOS.'),
  android: optional(androidBlock).describe('The block of Android.'),
  huawei_android: optional(huaweiBlock).describe('The block of Huawei devices.'),
  baidu_android: optional(idleBlock).describe('The block of a platform that has no devices.'),
  mac_os: optional(macBlock).describe('The block of macOS.'),
  amazon: optional(amazonBlock).describe('The block of Amazon devices.'),
  windows: optional(windowsBlock).describe('The block of Windows.'),
  safari: optional(safariBlock).describe(
    'The block of Safari. `title` and `url_args` are required beside any other field but `body`.',
  ),
  chrome: optional(chromeBlock).describe('The block of Chrome.'),
  firefox: optional(firefoxBlock).describe('The block of Firefox.'),
  ie: optional(idleBlock).describe('The block of a platform that has no devices.'),
  sms: optional(smsBlock).describe(
    'The block of SMS. A subject or media make it an MMS, which an SMS centre does not take.',
  ),
}).refine((given) => Object.values(given).some((block) => block !== undefined), 'must have a block');

export type Blocks = z.output<typeof blocks>;
