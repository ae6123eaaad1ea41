import { createHash } from 'node:crypto';
import type { Kind } from '../behaviour.ts';
import { parseSpecialToken, specialReasonToken, specialToken } from '../special-tokens.ts';
import { isLineReason, type LineReason } from './line-reasons.ts';

/** Deterministic. @param argument see the README. @default 1 for kinds that count */
export function lineUser(kind: Exclude<Kind, 'reason'>, n: number, argument?: number): string {
  if (kind !== 'accepted') return specialToken(kind, n, argument);
  return `U${createHash('md5').update(`line ${n}`).digest('hex')}`;
}

export const lineReasonUser = (reason: LineReason, n: number): string => specialReasonToken(reason, n);

export interface LineRequestOfUser {
  readonly kind: Kind;
  readonly argument: number;
  readonly reason: LineReason;
}

export function parseLineUser(id: string): LineRequestOfUser | undefined {
  if (/^U[0-9a-f]{32}$/.test(id)) return { kind: 'accepted', argument: 0, reason: 'InternalServerError' };
  const asked = parseSpecialToken(id);
  return asked && { ...asked, reason: isLineReason(asked.reason) ? asked.reason : 'InternalServerError' };
}
