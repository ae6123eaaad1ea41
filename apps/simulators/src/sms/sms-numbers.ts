import { defaultArgument, type Kind, kinds } from '../behaviour.ts';

export const receiptKinds = ['prompt', 'early', 'decimal', 'undelivered', 'held', 'none'] as const;
export type ReceiptKind = (typeof receiptKinds)[number];

/** Any other number is accepted, with a prompt receipt. */
const KIND_PREFIX = '+4990';
const RECEIPT_PREFIX = '+4991';
const TRY_PREFIX = '+4992';

const digits = (value: number, length: number): string => String(value).padStart(length, '0');

/** Deterministic. @param argument 0 to 99, see the README. @default 1 for kinds that count */
export const smsNumber = (kind: Exclude<Kind, 'reason'>, n: number, argument: number = defaultArgument(kind)): string =>
  kind === 'accepted'
    ? `+4917${digits(n, 8)}`
    : `${KIND_PREFIX}${digits(kinds.indexOf(kind), 2)}${digits(argument, 2)}${digits(n, 6)}`;

/** The first part is always refused. */
export const smsStatusNumber = (status: number, n: number): string =>
  `${KIND_PREFIX}${digits(kinds.indexOf('reason'), 2)}${digits(status, 3)}${digits(n, 5)}`;

export const smsReceiptNumber = (kind: ReceiptKind, n: number): string =>
  `${RECEIPT_PREFIX}${digits(receiptKinds.indexOf(kind), 2)}${digits(n, 6)}`;

/** One submission, counted from 1, is refused: a part of a long message. */
export const smsRefusedTryNumber = (nth: number, n: number): string => `${TRY_PREFIX}${digits(nth, 2)}${digits(n, 6)}`;

export interface SmsRequestOfNumber {
  readonly kind: Kind;
  readonly argument: number;
  readonly receipt: ReceiptKind;
  /** 0 = none. */
  readonly refusedTry: number;
}

const accepted: SmsRequestOfNumber = { kind: 'accepted', argument: 0, receipt: 'prompt', refusedTry: 0 };

export function parseSmsNumber(number: string): SmsRequestOfNumber {
  const digits = Number(number.slice(5, 7));
  if (number.startsWith(RECEIPT_PREFIX)) return { ...accepted, receipt: receiptKinds[digits] ?? 'prompt' };
  if (number.startsWith(TRY_PREFIX)) return { ...accepted, refusedTry: digits };
  if (!number.startsWith(KIND_PREFIX)) return accepted;
  const kind = kinds[digits] ?? 'accepted';
  return { ...accepted, kind, argument: Number(number.slice(7, kind === 'reason' ? 10 : 9)) || 0 };
}
