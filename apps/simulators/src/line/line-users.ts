import { createHash } from 'node:crypto';
import type { Kind } from '../behaviour.ts';
import {
  ACCEPTED_TOKEN,
  parseSpecialToken,
  specialReasonToken,
  specialToken,
  type SpecialToken,
} from '../special-tokens.ts';
import type { LineReason } from './line-reasons.ts';

/** Deterministic. @param argument see the README. @default 1 for kinds that count */
export function lineUser(kind: Exclude<Kind, 'reason'>, n: number, argument?: number): string {
  if (kind !== 'accepted') return specialToken(kind, n, argument);
  return `U${createHash('md5').update(`line ${n}`).digest('hex')}`;
}

export const lineReasonUser = (reason: LineReason, n: number): string => specialReasonToken(reason, n);

export const parseLineUser = (id: string): SpecialToken | undefined =>
  /^U[0-9a-f]{32}$/.test(id) ? ACCEPTED_TOKEN : parseSpecialToken(id);
