import { defaultArgument, type Kind, kinds } from './behaviour.ts';

/** Any other token is accepted. */
const MARKER = 'sim:';

/** @param argument see the README. @default 1 for kinds that count */
export const specialToken = (
  kind: Exclude<Kind, 'reason'>,
  n: number,
  argument: number = defaultArgument(kind),
): string => `${MARKER}${kind}:${argument}:${n}`;

/** The reason has no colon. */
export const specialReasonToken = (reason: string, n: number): string => `${MARKER}reason:${reason}:${n}`;

export interface SpecialToken {
  readonly kind: Kind;
  readonly argument: number;
  readonly reason: string;
}

export const parseSpecialToken = (token: string): SpecialToken | undefined => {
  if (!token.startsWith(MARKER)) return undefined;
  const [, name = '', argument = ''] = token.split(':');
  const kind = kinds.find((known) => known === name) ?? 'accepted';
  return { kind, argument: Number.parseInt(argument, 10) || 0, reason: argument };
};
