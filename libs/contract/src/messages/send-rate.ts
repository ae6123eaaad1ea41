import type { z } from 'zod';
import { boolean, integerOf, optional, whole } from '../values.ts';
import type { Recipients } from './recipients.ts';

/** Pushes a second (R-I11). */
export const sendRate = integerOf(100, 1000);

export const sendRateFields = {
  send_rate: optional(sendRate).describe(
    'Maximum pushes per second of the message, 100 to 1,000, over all platforms. Replaces the rate of the preset. ' +
      'Not with `devices`.',
  ),
  send_rate_avoid: optional(boolean).describe('Whether the message is sent without a send rate, whoever sets one.'),
};

interface Given {
  readonly send_rate?: number | undefined;
  readonly send_rate_avoid?: boolean | undefined;
}

export const sendRateOf = ({ send_rate: value, send_rate_avoid: avoid = false }: Given) => ({
  value,
  /** Not even the preset's rate applies. */
  avoid,
});

export function refuseRateOfDevices(
  { value }: ReturnType<typeof sendRateOf>,
  { kind }: Recipients,
  { issues }: Pick<z.core.ParsePayload, 'issues'>,
): void {
  if (value === undefined || (kind !== 'devices' && kind !== 'contacts')) return;
  const { error: message, params } = whole('send_rate must not be combined with devices');
  issues.push({ code: 'custom', message, params, input: value });
}
