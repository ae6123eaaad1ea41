import { isPlatform, type PlatformCode } from '@tidings/kernel';
import type { z } from 'zod';
import { PLATFORM_CODES } from '../fields/device.ts';
import { parseWithin } from '../forward.ts';
import { lat, lng, range } from '../geozones/fields.ts';
import type { StructuredFilter } from '../notify/filter.ts';
import { array, identity, identityOf, integer, listOf, object, optional, unchecked, whole } from '../values.ts';
import { conditionFields, conditions, conditionsOperator, type TagCondition } from './conditions.ts';

/** The recipients of a notification (R-I3). Names are distinct. */
export type Recipients =
  /** `to`: contacts (R-I4). */
  | { readonly kind: 'devices' | 'to' | 'hwids' | 'pushTokens'; readonly names: readonly string[] }
  /** Contacts of one platform, by hwid. */
  | { readonly kind: 'contacts'; readonly platform: PlatformCode; readonly names: readonly string[] }
  /** The test devices of the application (R-L2), which have no names. */
  | { readonly kind: 'testDevices'; readonly names: readonly [] }
  /** `latestDevice`: only the most recently active device of each. */
  | { readonly kind: 'users'; readonly names: readonly string[]; readonly latestDevice?: boolean }
  | { readonly kind: 'conditions'; readonly operator: 'AND' | 'OR'; readonly conditions: readonly TagCondition[] }
  /** A segment by name, else by code; `name` is "" if only the code applies (R-N2). */
  | { readonly kind: 'filter'; readonly name: string; readonly code: string }
  /** An expression of the segmentation language (Spec N). */
  | { readonly kind: 'expression'; readonly source: string }
  /** The structured form of an expression (R-O1). */
  | { readonly kind: 'structured'; readonly filter: StructuredFilter }
  /** Every device with a token for a live activity, by the caller's id (R-M2). */
  | { readonly kind: 'activity'; readonly id: string }
  | { readonly kind: 'everyone' };

const MAX_NAMES = 1000;
/** Below this number of entries in `devices`, `platforms` is ignored unchecked (R-I5). */
const PLATFORMS_APPLY_FROM = 10;

const names = listOf(identity, MAX_NAMES);
const filterName = identityOf(1, 255);
const optionalOperator = optional(conditionsOperator);
const platformList = array(integer).refine((codes) => codes.every(isPlatform), 'unknown value');

/** Devices that were recently in a circle (R-I20). */
export type Circle = z.output<typeof geozone>;

const geozone = object({ lat: optional(lat), lng: optional(lng), range: optional(range) })
  .check(({ value, issues }) => {
    const missing = (['lat', 'lng', 'range'] as const).find((name) => value[name] === undefined);
    if (missing !== undefined) issues.push({ code: 'custom', message: 'must be set', path: [missing], input: value });
  })
  .transform((given) => ({ lat: given.lat!, lng: given.lng!, rangeMeters: given.range! }))
  .describe(
    'Selects the devices whose last location is at most 24 hours old and at most `range` meters (50 to 1000) away: ' +
      '`{"lat", "lng", "range"}`. Ignored beside a list of recipients.',
  );

/**
 * The fields that select recipients. Beside a list, other lists and `geozone` are checked and ignored; `filter`, `filter_code` and `conditions`
 * are ignored unchecked, as is `platforms` beside few devices, hence `unknown` (R-I3, R-I5, R-I20).
 */
export const recipientFields = {
  platforms: optional(unchecked({ type: 'array', items: { type: 'integer' } })).describe(
    `Platform codes: ${PLATFORM_CODES}. Empty or left out: all push platforms. ` +
      'Ignored if `devices` has fewer than 10 entries.',
  ),
  devices: optional(names).describe(
    'Hwids or push tokens of the recipients. Takes precedence over `filter` and `conditions`.',
  ),
  to: optional(names).describe(
    'Hwids of contacts of e-mail, SMS and WhatsApp that receive the message, up to 1,000. `users` and `devices` ' +
      'take precedence.',
  ),
  users: optional(names).describe(
    'Users that receive the message on all their devices. Takes precedence over `devices`.',
  ),
  filter: optional(unchecked({ type: 'string' })).describe(
    'Name of the segment that receives the message. Must not be combined with `conditions`.',
  ),
  filter_code: optional(unchecked({ type: 'string' })).describe('Code of the segment, instead of its name.'),
  geozone: optional(geozone),
  ...conditionFields,
};

type Fields = { [Name in keyof typeof recipientFields]: z.output<(typeof recipientFields)[Name]> };

/** The named segment, which excludes conditions (R-I3). */
function filterOf(field: 'filter' | 'filter_code', fields: Partial<Fields>, context: z.core.ParsePayload): Recipients {
  if (fields.conditions !== undefined) {
    const { error: message, params } = whole(`${field} and conditions must not be used together`);
    context.issues.push({ code: 'custom', message, params, input: undefined });
  }
  const given = parseWithin(filterName, fields[field], context, [field]) ?? '';
  return field === 'filter' ? { kind: 'filter', name: given, code: '' } : { kind: 'filter', name: '', code: given };
}

/** The recipients by their properties, else the whole application. */
export function selectedRecipients(fields: Partial<Fields>, context: z.core.ParsePayload): Recipients {
  if (fields.filter !== undefined) return filterOf('filter', fields, context);
  if (fields.filter_code !== undefined) return filterOf('filter_code', fields, context);
  if (fields.conditions === undefined) return { kind: 'everyone' };
  return {
    kind: 'conditions',
    conditions: parseWithin(conditions, fields.conditions, context, ['conditions']) ?? [],
    operator: parseWithin(optionalOperator, fields.conditions_operator, context, ['conditions_operator']) ?? 'AND',
  };
}

/** The recipients by precedence: users, devices, to, filter, conditions, else the whole application (R-I3). */
export function recipientsOf(fields: Partial<Fields>, context: z.core.ParsePayload): Recipients {
  if (fields.users) return { kind: 'users', names: [...new Set(fields.users)] };
  if (fields.devices) return { kind: 'devices', names: [...new Set(fields.devices)] };
  if (fields.to) return { kind: 'to', names: [...new Set(fields.to)] };
  return selectedRecipients(fields, context);
}

/** The fields that restrict the devices that an expression selects (R-I5, R-I20). */
export const restrictionFields = {
  platforms: optional(
    platformList.transform((codes) => (codes.length === 0 ? undefined : [...new Set(codes)])),
  ).describe(`Platform codes: ${PLATFORM_CODES}. Empty or left out: all push platforms.`),
  geozone: optional(geozone),
};

/** The circle that selected devices are in; undefined: anywhere, or recipients are listed (R-I20). */
export const circleOf = ({ users, devices, to, geozone: circle }: Fields) =>
  (users ?? devices ?? to) ? undefined : circle;

/**
 * Platform codes that the request restricts the message to. Undefined: none given, so a preset may restrict it. []: so few devices are not
 * restricted (R-I5, R-K4).
 */
export function platformsOf(fields: Fields, context: z.core.ParsePayload): readonly number[] | undefined {
  if (!fields.users && fields.devices && fields.devices.length < PLATFORMS_APPLY_FROM) return [];
  if (fields.platforms === undefined) return undefined;
  const named = parseWithin(platformList, fields.platforms, context, ['platforms']) ?? [];
  return named.length === 0 ? undefined : [...new Set(named)];
}
