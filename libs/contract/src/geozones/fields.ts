import { z } from 'zod';
import { namedCampaign } from '../campaigns/campaign-code.ts';
import { parseWithin } from '../forward.ts';
import { jsonText } from '../lone-surrogates.ts';
import { localized, localizedSchema } from '../messages/texts.ts';
import { presetCode } from '../presets/preset-code.ts';
import { identity, integerOf, nonEmptyIdentity, number, unchecked, whole, WHOLE_TEXT } from '../values.ts';

const UINT32_MAX = 4_294_967_295;

const degrees = (most: number) =>
  number
    .refine((value) => value >= -most && value <= most, `must be -${most} to ${most}`)
    .meta({ minimum: -most, maximum: most });

export const lat = degrees(90).describe('Latitude in degrees.');
export const lng = degrees(180).describe('Longitude in degrees.');

export const zoneName = nonEmptyIdentity;

export const cooldown = integerOf(0, UINT32_MAX).describe(
  'Seconds after a message in which the zone sends nothing more to the device; 0 for none.',
);

export const range = integerOf(50, 1000).describe('Radius of the zone in meters, 50 to 1,000.');

/** As its original JSON text; "" for an empty one. */
export const zoneContent = unchecked(localizedSchema).transform((value, context) => {
  if (value === '') return '';
  return parseWithin(localized, value, context, []) ? jsonText(value) : '';
});

export const zonePreset = presetCode;
export const zoneCampaign = namedCampaign;
export const clusterCode = identity
  .refine((code) => code !== '', whole('Cluster not found'))
  .transform((code) => code.toUpperCase());

const UNKNOWN_ID = 0;

const wholeNumber = { error: 'must be an integer' };

/** Another whole number counts as the id of an unknown zone (R-F2). */
export const zoneId = z
  .union(
    [
      z.number(wholeNumber).refine((value) => Number.isInteger(value), wholeNumber),
      z.string(wholeNumber).regex(WHOLE_TEXT, wholeNumber),
    ],
    wholeNumber,
  )
  .transform((given) => {
    const id = Number(given);
    return Number.isSafeInteger(id) && id > 0 ? id : UNKNOWN_ID;
  });
