import { defaultArgument, type Kind, kinds } from './behaviour.ts';

/** Prefix of special device tokens, which request a behaviour; any other token is accepted. */
const MARKER = 'sim:';

/**
 * The n-th special token of a kind.
 * @param argument see the README. @default 1 for kinds that count
 */
export const specialToken = (
  kind: Exclude<Kind, 'reason'>,
  n: number,
  argument: number = defaultArgument(kind),
): string => `${MARKER}${kind}:${argument}:${n}`;

/** The n-th token that is always refused with this reason, which has no colon. */
export const specialReasonToken = (reason: string, n: number): string => `${MARKER}reason:${reason}:${n}`;

export interface SpecialToken {
  readonly kind: Kind;
  readonly argument: number;
  /** For the kind `reason`. */
  readonly reason: string;
}

/** The behaviour that the token requests; undefined for tokens without the marker. */
export const parseSpecialToken = (token: string): SpecialToken | undefined => {
  if (!token.startsWith(MARKER)) return undefined;
  const [, name = '', argument = ''] = token.split(':');
  const kind = kinds.find((known) => known === name) ?? 'accepted';
  return { kind, argument: Number.parseInt(argument, 10) || 0, reason: argument };
};
