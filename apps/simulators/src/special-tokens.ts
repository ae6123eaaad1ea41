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

export const ACCEPTED_TOKEN: SpecialToken = { kind: 'accepted', argument: 0, reason: '' };

/** A kind and an argument, divided by the separator. */
export function specialIn(text: string, separator: string): SpecialToken | undefined {
  const [name, argument = ''] = text.split(separator);
  const kind = kinds.find((each) => each === name);
  return kind && { kind, argument: Number.parseInt(argument, 10) || 0, reason: argument };
}

export const parseSpecialToken = (token: string): SpecialToken | undefined =>
  token.startsWith(MARKER) ? (specialIn(token.slice(MARKER.length), ':') ?? ACCEPTED_TOKEN) : undefined;
