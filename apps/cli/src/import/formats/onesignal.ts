import { isObject } from '@tidings/contract';
import { Platform } from '@tidings/kernel';
import { given, isTrue, languageOf, timezoneOf } from '../fields.ts';
import { normalized, type Row, textIn, valueIn } from '../row.ts';
import { type Format, identityOf } from './format.ts';

/** By `device_type`. */
const platforms: Readonly<Record<string, number>> = {
  0: Platform.iOS,
  1: Platform.Android,
  2: Platform.Amazon,
  5: Platform.Chrome,
  6: Platform.Windows,
  7: Platform.Safari,
  8: Platform.Firefox,
  9: Platform.MacOS,
  11: Platform.Email,
  13: Platform.Huawei,
  14: Platform.Sms,
};

const columns = new Set(
  [
    ...['id', 'identifier', 'session_count', 'language', 'timezone', 'game_version', 'device_os', 'device_type'],
    ...['device_model', 'ad_id', 'tags', 'last_active', 'playtime', 'amount_spent', 'created_at'],
    ...['invalid_identifier', 'badge_count', 'external_user_id', 'notification_types', 'location', 'country'],
    ...['rooted', 'ip', 'web_auth', 'web_p256'],
  ].map(normalized),
);

function tagsIn(row: Row): Readonly<Record<string, unknown>> | undefined {
  const value = valueIn(row, 'tags');
  if (isObject(value)) return value;
  const text = textIn(row, 'tags');
  if (text === '') return undefined;
  try {
    const tags: unknown = JSON.parse(text);
    return isObject(tags) ? tags : undefined;
  } catch {
    return undefined;
  }
}

/** Negative: the device or its user has opted out. */
const isOptedOut = (row: Row): boolean =>
  isTrue(textIn(row, 'invalid_identifier')) || /^-\d+$/.test(textIn(row, 'notification_types'));

/** "Export subscriptions" of OneSignal. */
export const onesignal: Format = {
  title: 'OneSignal',
  required: ['identifier', 'device_type'],
  knows: (key) => columns.has(key),
  read(row) {
    const type = textIn(row, 'device_type');
    const platform = platforms[type];
    if (platform === undefined) return 'a device_type to which nothing can be sent';
    const address = textIn(row, 'identifier');
    const device = {
      ...identityOf('onesignal', { platform, id: textIn(row, 'id'), address }),
      platform,
      user_id: given(textIn(row, 'external_user_id')),
      language: languageOf(textIn(row, 'language')),
      timezone: timezoneOf(textIn(row, 'timezone')),
      app_version: given(textIn(row, 'game_version')),
      device_model: given(textIn(row, 'device_model')),
      os_version: given(textIn(row, 'device_os')),
      country: given(textIn(row, 'country')),
      idfa: given(textIn(row, 'ad_id')),
      public_key: given(textIn(row, 'web_p256')),
      auth_token: given(textIn(row, 'web_auth')),
      tags: tagsIn(row),
    };
    return { device, isUnsubscribed: isOptedOut(row) };
  },
};
