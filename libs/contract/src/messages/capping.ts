import type { z } from 'zod';
import { boolean, integer, integerOf, optional } from '../values.ts';

/** Greater caps have no other effect. */
const MAX_COUNT = 1_000_000;

export const cappingFields = {
  capping_days: optional(integerOf(1, 30)).describe(
    'Period of the frequency cap in days, 1 to 30. It replaces the cap of the application. Requires ' +
      '`capping_count`.',
  ),
  capping_count: optional(integer.refine((value) => value >= 1, 'must be at least 1').meta({ minimum: 1 })).describe(
    'Maximum number of messages to a device within `capping_days`; other devices are skipped. Requires ' +
      '`capping_days`.',
  ),
  capping_exclude: optional(boolean).describe('Whether the message does not count for frequency caps.'),
  capping_avoid: optional(boolean).describe(
    'Whether the message ignores frequency caps. It counts for later messages.',
  ),
};

interface Given {
  readonly capping_days?: number | undefined;
  readonly capping_count?: number | undefined;
  readonly capping_exclude?: boolean | undefined;
  readonly capping_avoid?: boolean | undefined;
}

export function cappingOf(given: Given, context: Pick<z.core.ParsePayload, 'issues'>) {
  const { capping_days: days, capping_count: count } = given;
  if ((days === undefined) !== (count === undefined)) {
    const path = [days === undefined ? 'capping_days' : 'capping_count'];
    context.issues.push({ code: 'custom', message: 'must be set', path, input: undefined });
  }
  return {
    cap: days === undefined || count === undefined ? undefined : { days, count: Math.min(count, MAX_COUNT) },
    exclude: given.capping_exclude ?? false,
    avoid: given.capping_avoid ?? false,
  };
}
