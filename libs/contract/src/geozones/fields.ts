import { z } from 'zod';
import { campaignCode } from '../campaigns/campaign-code.ts';
import { parseWithin } from '../forward.ts';
import { localized } from '../messages/texts.ts';
import { presetCode } from '../presets/preset-code.ts';
import { integerOf, number, text, textOf } from '../values.ts';

const UINT32_MAX = 4_294_967_295;

const degrees = (most: number) =>
  number.refine((value) => value >= -most && value <= most, `must be -${most} to ${most}`);

/** Degrees, as a number or a numeric string (R-C13, R-F1). */
export const lat = degrees(90);
export const lng = degrees(180);

export const zoneName = textOf(1, 255);

/** Seconds; 0 = none. */
export const cooldown = integerOf(0, UINT32_MAX);

/** Meters (Spec, Limits). */
export const range = integerOf(50, 1000);

/** A text, plain or by language, as the JSON text that it came as; "" for an empty one. */
export const zoneContent = z.unknown().transform((value, context) => {
  if (value === '') return '';
  return parseWithin(localized, value, context, []) ? JSON.stringify(value) : '';
});

/** Codes in upper case; "" for none. */
export const zonePreset = presetCode;
export const zoneCampaign = campaignCode;
export const clusterCode = text.transform((code) => code.toUpperCase());

/** Identifies a zone; what cannot be an id is unknown. */
export const zoneId = integerOf(0, Number.MAX_SAFE_INTEGER);
