import { defaultArgument, type Kind } from '../behaviour.ts';
import { type SpecialToken, specialIn } from '../special-tokens.ts';
import type { WnsReason } from './wns-reasons.ts';

const PATH = '/w/?token=';

/** Appended to `urlOf('wns')`; deterministic. @param argument see the README. @default 1 for kinds that count */
export const wnsChannelPath = (
  kind: Exclude<Kind, 'reason'>,
  n: number,
  argument: number = defaultArgument(kind),
): string => `${PATH}${kind}.${argument}.${n}`;

export const wnsReasonPath = (reason: WnsReason, n: number): string => `${PATH}reason.${reason}.${n}`;

export const parseWnsPath = (path: string): SpecialToken | undefined =>
  path.startsWith(PATH) ? specialIn(path.slice(PATH.length), '.') : undefined;
