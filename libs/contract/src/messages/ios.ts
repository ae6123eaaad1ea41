import type { z } from 'zod';
import { bit, boolean, integerOf, oneOf, optional, text } from '../values.ts';
import { localized, rootParamsWithData } from './texts.ts';

export const UINT32_MAX = 4_294_967_295;

export const badge = text
  .refine((value) => /^[+-]?\d{1,9}$/.test(value), 'must be an integer, +n or -n')
  .meta({ pattern: '^[+-]?\\d{1,9}$' })
  .describe('Number on the app icon, or a change such as `+1` or `-1`.');

export const ttl = integerOf(0, UINT32_MAX).describe(
  'Seconds for which the provider keeps the push for an unreachable device.',
);

export const sound = text.describe('Name of the sound file in the app.');

export const silent = bit.describe('1 delivers the push to the app without showing it.');

export const interruptionLevel = oneOf(['passive', 'active', 'time-sensitive', 'critical']).describe(
  'Interruption level of the notification.',
);

export const iosFields = {
  ios_title: optional(localized).describe('Replaces `title` on iOS.'),
  ios_subtitle: optional(localized).describe('Replaces `subtitle` on iOS.'),
  ios_content: optional(localized).describe('Replaces `content` on iOS.'),
  ios_badges: optional(badge),
  ios_sound: optional(sound),
  ios_sound_off: optional(boolean).describe('Whether to play no sound.'),
  ios_ttl: optional(ttl),
  ios_silent: optional(silent),
  ios_category_id: optional(text).describe('Category of the notification, which determines its buttons.'),
  ios_category_custom: optional(text).describe(
    'Category of the notification by name. Takes precedence over `ios_category_id`.',
  ),
  ios_root_params: optional(rootParamsWithData).describe(
    'Members for the payload root, `aps` included. `data` has at most 4,096 bytes as JSON.',
  ),
  ios_attachment: optional(text).describe('URL of a picture, video or sound to show.'),
  ios_thread_id: optional(text).describe('Groups notifications on the device.'),
  ios_critical: optional(boolean).describe('Whether the push sounds on a muted device.'),
  ios_interruption_level: optional(interruptionLevel),
  apns_trim_content: optional(bit).describe('1 truncates a text that is too long for APNs; otherwise the push fails.'),
  ios_trim_content: optional(bit).describe('Former name of `apns_trim_content`.'),
};

type Fields = { [Name in keyof typeof iosFields]: z.output<(typeof iosFields)[Name]> };

export const iosContent = (fields: Fields) => ({
  text: fields.ios_content,
  title: fields.ios_title,
  subtitle: fields.ios_subtitle,
  badge: fields.ios_badges,
  sound: fields.ios_sound,
  soundOff: fields.ios_sound_off,
  ttlSeconds: fields.ios_ttl,
  silent: fields.ios_silent,
  category: fields.ios_category_id,
  categoryCustom: fields.ios_category_custom,
  rootParams: fields.ios_root_params,
  attachment: fields.ios_attachment,
  threadId: fields.ios_thread_id,
  critical: fields.ios_critical,
  interruptionLevel: fields.ios_interruption_level,
  trim: fields.apns_trim_content ?? fields.ios_trim_content,
});
