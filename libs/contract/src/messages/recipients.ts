import { isPlatform, type PlatformCode } from '@tidings/kernel';
import type { z } from 'zod';
import { PLATFORM_CODES } from '../fields/device.ts';
import { parseWithin } from '../forward.ts';
import { lat, lng, range } from '../geozones/fields.ts';
import type { StructuredFilter } from '../notify/filter.ts';
import { array, identity, identityOf, integer, listOf, object, optional, unchecked, whole } from '../values.ts';
import { conditionFields, conditions, conditionsOperator, type TagCondition } from './conditions.ts';

export type Recipients =
  | { readonly kind: 'devices' | 'to' | 'hwids' | 'pushTokens'; readonly names: readonly string[] }
  | { readonly kind: 'contacts'; readonly platform: PlatformCode; readonly names: readonly string[] }
  | { readonly kind: 'testDevices'; readonly names: readonly [] }
  /** `latestDevice`: only the most recently active one of each. */
  | { readonly kind: 'users'; readonly names: readonly string[]; readonly latestDevice?: boolean }
  | { readonly kind: 'conditions'; readonly operator: 'AND' | 'OR'; readonly conditions: readonly TagCondition[] }
  /** By name, else by code; "" if only the code applies (R-N2). */
  | { readonly kind: 'filter'; readonly name: string; readonly code: string }
  | { readonly kind: 'expression'; readonly source: string }
  | { readonly kind: 'structured'; readonly filter: StructuredFilter }
  | { readonly kind: 'activity'; readonly id: string }
  | { readonly kind: 'everyone' };

const MAX_NAMES = 1000;
/** With fewer `devices`, `platforms` is ignored unchecked (R-I5). */
const PLATFORMS_APPLY_FROM = 10;

const names = listOf(identity, MAX_NAMES);
const filterName = identityOf(1, 255);
const optionalOperator = optional(conditionsOperator);
const platformList = array(integer).refine((codes) => codes.every(isPlatform), 'unknown value');

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

/** Beside a list, other lists and `geozone` are checked and ignored; the `unknown` fields are ignored unchecked (R-I3, R-I5, R-I20). */
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

function filterOf(field: 'filter' | 'filter_code', fields: Partial<Fields>, context: z.core.ParsePayload): Recipients {
  if (fields.conditions !== undefined) {
    const { error: message, params } = whole(`${field} and conditions must not be used together`);
    context.issues.push({ code: 'custom', message, params, input: undefined });
  }
  const given = parseWithin(filterName, fields[field], context, [field]) ?? '';
  return field === 'filter' ? { kind: 'filter', name: given, code: '' } : { kind: 'filter', name: '', code: given };
}

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

/** By precedence: users, devices, to, filter, conditions, else the whole application (R-I3). */
export function recipientsOf(fields: Partial<Fields>, context: z.core.ParsePayload): Recipients {
  if (fields.users) return { kind: 'users', names: [...new Set(fields.users)] };
  if (fields.devices) return { kind: 'devices', names: [...new Set(fields.devices)] };
  if (fields.to) return { kind: 'to', names: [...new Set(fields.to)] };
  return selectedRecipients(fields, context);
}

export const restrictionFields = {
  platforms: optional(
    platformList.transform((codes) => (codes.length === 0 ? undefined : [...new Set(codes)])),
  ).describe(`Platform codes: ${PLATFORM_CODES}. Empty or left out: all push platforms.`),
  geozone: optional(geozone),
};

export const circleOf = ({ users, devices, to, geozone: circle }: Fields) =>
  (users ?? devices ?? to) ? undefined : circle;

/** Undefined: none given, so a preset may restrict it. []: so few devices are not restricted (R-I5, R-K4). */
export function platformsOf(fields: Fields, context: z.core.ParsePayload): readonly number[] | undefined {
  if (!fields.users && fields.devices && fields.devices.length < PLATFORMS_APPLY_FROM) return [];
  if (fields.platforms === undefined) return undefined;
  const named = parseWithin(platformList, fields.platforms, context, ['platforms']) ?? [];
  return named.length === 0 ? undefined : [...new Set(named)];
}
