import type { z } from 'zod';
import { boolean, integerOf, oneOf, optional, text } from '../values.ts';
import { badge, silent, sound, ttl } from './ios.ts';
import { jsonObject, localized } from './texts.ts';

const led = text
  .refine((value) => /^#?([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$/.test(value), 'must be a colour of 6 or 8 hex digits')
  .meta({ pattern: '^#?([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$' });

export const androidFields = {
  android_header: optional(localized).describe('Replaces `title` on Android.'),
  android_content: optional(localized).describe('Replaces `content` on Android.'),
  android_root_params: optional(jsonObject).describe('Members for the payload root.'),
  android_sound: optional(sound),
  android_sound_off: optional(boolean).describe('Whether to play no sound.'),
  android_icon: optional(text).describe('Name of the small icon in the app.'),
  android_custom_icon: optional(text).describe('URL of the large icon.'),
  android_banner: optional(text).describe('URL of a picture to show.'),
  android_badges: optional(badge),
  android_gcm_ttl: optional(ttl),
  android_vibration: optional(boolean).describe('Whether the device vibrates.'),
  android_led: optional(led).describe('Colour of the LED: 6 or 8 hex digits, with or without `#`.'),
  android_priority: optional(integerOf(-2, 2)).describe('Priority of the notification, -2 to 2.'),
  android_delivery_priority: optional(oneOf(['normal', 'high'])).describe(
    'Delivery priority; `high` wakes a sleeping device.',
  ),
  android_ibc: optional(text).describe('Background colour of the icon.'),
  android_silent: optional(silent),
  android_group_id: optional(text).describe('Groups notifications on the device.'),
};

type Fields = { readonly [Name in keyof typeof androidFields]?: z.output<(typeof androidFields)[Name]> };

export const androidContent = (fields: Fields) => ({
  text: fields.android_content,
  title: fields.android_header,
  rootParams: fields.android_root_params,
  sound: fields.android_sound,
  soundOff: fields.android_sound_off,
  icon: fields.android_icon,
  customIcon: fields.android_custom_icon,
  banner: fields.android_banner,
  badge: fields.android_badges,
  ttlSeconds: fields.android_gcm_ttl,
  vibration: fields.android_vibration,
  led: fields.android_led,
  priority: fields.android_priority,
  deliveryPriority: fields.android_delivery_priority,
  iconBackground: fields.android_ibc,
  silent: fields.android_silent,
  groupId: fields.android_group_id,
});
