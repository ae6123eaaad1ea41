import type { z } from 'zod';
import { bit, boolean, integerOf, oneOf, optional, text } from '../values.ts';
import { localized, rootParamsWithData } from './texts.ts';

/** Largest number of seconds that is stored. */
export const UINT32_MAX = 4_294_967_295;

/** A badge: a number, or a change such as `+1` (Spec I). */
export const badge = text
  .refine((value) => /^[+-]?\d{1,9}$/.test(value), 'must be an integer, +n or -n')
  .meta({ pattern: '^[+-]?\\d{1,9}$' });

/** A time to live in seconds (R-I22). */
export const ttl = integerOf(0, UINT32_MAX);

export const interruptionLevel = oneOf(['passive', 'active', 'time-sensitive', 'critical']);

/** Fields `ios_*` of a notification. */
export const iosFields = {
  ios_title: optional(localized),
  ios_subtitle: optional(localized),
  ios_content: optional(localized),
  ios_badges: optional(badge),
  ios_sound: optional(text),
  ios_sound_off: optional(boolean),
  ios_ttl: optional(ttl),
  ios_silent: optional(bit),
  ios_category_id: optional(text),
  ios_category_custom: optional(text),
  ios_root_params: optional(rootParamsWithData),
  ios_attachment: optional(text),
  ios_thread_id: optional(text),
  ios_critical: optional(boolean),
  ios_interruption_level: optional(interruptionLevel),
  apns_trim_content: optional(bit),
  ios_trim_content: optional(bit),
};

type Fields = { [Name in keyof typeof iosFields]: z.output<(typeof iosFields)[Name]> };

/** The iOS overrides of the common texts and settings; undefined = not given. */
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
