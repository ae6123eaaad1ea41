import { defaultArgument, type Kind, kinds } from '../behaviour.ts';
import { isWnsReason, type WnsReason } from './wns-reasons.ts';

const PATH = '/w/?token=';

/** Appended to `urlOf('wns')`; deterministic. @param argument see the README. @default 1 for kinds that count */
export const wnsChannelPath = (
  kind: Exclude<Kind, 'reason'>,
  n: number,
  argument: number = defaultArgument(kind),
): string => `${PATH}${kind}.${argument}.${n}`;

export const wnsReasonPath = (reason: WnsReason, n: number): string => `${PATH}reason.${reason}.${n}`;

export interface WnsRequestOfPath {
  readonly kind: Kind;
  readonly argument: number;
  readonly reason: WnsReason;
}

export function parseWnsPath(path: string): WnsRequestOfPath | undefined {
  if (!path.startsWith(PATH)) return undefined;
  const [name = '', argument = ''] = path.slice(PATH.length).split('.');
  const kind = kinds.find((known) => known === name);
  if (kind === undefined) return undefined;
  const reason = isWnsReason(argument) ? argument : 'InternalServerError';
  return { kind, argument: Number.parseInt(argument, 10) || 0, reason };
}
