import { createHash } from 'node:crypto';
import type { Kind } from '../behaviour.ts';
import { parseSpecialToken, specialReasonToken, specialToken } from '../special-tokens.ts';
import { isLineReason, type LineReason } from './line-reasons.ts';

/**
 * The id of the n-th user of a kind; deterministic. Ids of kind `accepted` look like LINE's.
 * @param argument see the README. @default 1 for kinds that count
 */
export function lineUser(kind: Exclude<Kind, 'reason'>, n: number, argument?: number): string {
  if (kind !== 'accepted') return specialToken(kind, n, argument);
  return `U${createHash('md5').update(`line ${n}`).digest('hex')}`;
}

/** The id of the n-th user for whom LINE always answers this. */
export const lineReasonUser = (reason: LineReason, n: number): string => specialReasonToken(reason, n);

export interface LineRequestOfUser {
  readonly kind: Kind;
  readonly argument: number;
  /** For the kind `reason`. */
  readonly reason: LineReason;
}

/** The behaviour that a user's id requests; undefined for text that is no id of a user. */
export function parseLineUser(id: string): LineRequestOfUser | undefined {
  if (/^U[0-9a-f]{32}$/.test(id)) return { kind: 'accepted', argument: 0, reason: 'InternalServerError' };
  const asked = parseSpecialToken(id);
  return asked && { ...asked, reason: isLineReason(asked.reason) ? asked.reason : 'InternalServerError' };
}
