import { defaultArgument, type Kind, kinds } from './behaviour.ts';

/** Country code of special numbers, which request a behaviour: no country has it. Any other number is accepted. */
const MARKER = '888';
const PATTERN = /^\+?888(\d{2})(\d{6})(\d{4})$/;

const digits = (value: number, count: number): string => String(value).padStart(count, '0');

/**
 * The n-th phone number of a kind, in E.164; deterministic.
 * @param argument see the README; of the kind `reason` the provider's code. @default 1 for kinds that count
 */
export const simulatedPhone = (kind: Kind, n: number, argument: number = defaultArgument(kind)): string =>
  kind === 'accepted'
    ? `+1555${digits(n, 7)}`
    : `+${MARKER}${digits(kinds.indexOf(kind), 2)}${digits(argument, 6)}${digits(n, 4)}`;

export interface RequestOfPhone {
  readonly kind: Kind;
  readonly argument: number;
}

/** The behaviour that a number requests, with or without its `+`; undefined for all others. */
export function requestOfPhone(number: string): RequestOfPhone | undefined {
  const [, kind, argument] = PATTERN.exec(number) ?? [];
  return kind === undefined ? undefined : { kind: kinds[Number(kind)] ?? 'accepted', argument: Number(argument) };
}
