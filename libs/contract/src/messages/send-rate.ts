import type { z } from 'zod';
import { boolean, integerOf, optional, whole } from '../values.ts';
import type { Recipients } from './recipients.ts';

/** Pushes per second (R-I11). */
export const sendRate = integerOf(100, 1000);

export const sendRateFields = {
  send_rate: optional(sendRate),
  send_rate_avoid: optional(boolean),
};

interface Given {
  readonly send_rate?: number | undefined;
  readonly send_rate_avoid?: boolean | undefined;
}

/** The send rate of a request. */
export function sendRateOf(
  { send_rate: value, send_rate_avoid: avoid = false }: Given,
  { kind }: Recipients,
  context: Pick<z.core.ParsePayload, 'issues'>,
) {
  if (value !== undefined && (kind === 'devices' || kind === 'contacts')) {
    const { error: message, params } = whole('send_rate must not be combined with devices');
    context.issues.push({ code: 'custom', message, params, input: value });
  }
  return {
    /** Undefined: that of the preset, if any. */
    value,
    /** No rate, whoever gives one. */
    avoid,
  };
}
