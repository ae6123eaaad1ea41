import type { z } from 'zod';
import { bit, boolean, integerOf, oneOf, optional, text } from '../values.ts';
import { badge, ttl } from './ios.ts';
import { jsonObject, localized } from './texts.ts';

const led = text
  .refine((value) => /^#?([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$/.test(value), 'must be a colour of 6 or 8 hex digits')
  .meta({ pattern: '^#?([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$' });

/** Fields `android_*` of a notification. */
export const androidFields = {
  android_header: optional(localized),
  android_content: optional(localized),
  android_root_params: optional(jsonObject),
  android_sound: optional(text),
  android_sound_off: optional(boolean),
  android_icon: optional(text),
  android_custom_icon: optional(text),
  android_banner: optional(text),
  android_badges: optional(badge),
  android_gcm_ttl: optional(ttl),
  android_vibration: optional(boolean),
  android_led: optional(led),
  android_priority: optional(integerOf(-2, 2)),
  android_delivery_priority: optional(oneOf(['normal', 'high'])),
  android_ibc: optional(text),
  android_silent: optional(bit),
  android_group_id: optional(text),
};

type Fields = { readonly [Name in keyof typeof androidFields]?: z.output<(typeof androidFields)[Name]> };

/** The Android overrides of the common texts and settings; undefined = not given. */
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
