import { defaultArgument, type Kind, kinds } from './behaviour.ts';
import type { SpecialToken } from './special-tokens.ts';

/** No country has this code. Any other number is accepted. */
const MARKER = '888';
const PATTERN = /^\+?888(\d{2})(\d{6})(\d{4})$/;

const digits = (value: number, count: number): string => String(value).padStart(count, '0');

/** Deterministic, in E.164. @param argument see the README; of `reason` the provider's code. @default 1 for kinds that count */
export const simulatedPhone = (kind: Kind, n: number, argument: number = defaultArgument(kind)): string =>
  kind === 'accepted'
    ? `+1555${digits(n, 7)}`
    : `+${MARKER}${digits(kinds.indexOf(kind), 2)}${digits(argument, 6)}${digits(n, 4)}`;

/** With or without its `+`; undefined for others. */
export function requestOfPhone(number: string, reasonOf: (code: number) => string): SpecialToken | undefined {
  const [, kind, digitsOfArgument] = PATTERN.exec(number) ?? [];
  if (kind === undefined) return undefined;
  const argument = Number(digitsOfArgument);
  return { kind: kinds[Number(kind)] ?? 'accepted', argument, reason: reasonOf(argument) };
}
