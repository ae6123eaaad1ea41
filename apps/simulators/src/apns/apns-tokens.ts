import { createHash } from 'node:crypto';
import { defaultArgument, type Kind } from '../behaviour.ts';
import { APNS_REASONS, type ApnsReason } from './reasons.ts';

/** Any other token is accepted. */
export const APNS_MARKER = '0badf00d';

const codes: Readonly<Record<Kind, number>> = {
  accepted: 0x00,
  dead: 0x01,
  badToken: 0x02,
  throttled: 0x03,
  unavailable: 0x04,
  serverError: 0x05,
  payloadRefused: 0x06,
  wrongTopic: 0x07,
  expiredAuth: 0x08,
  silent: 0x09,
  reset: 0x0a,
  refusedStream: 0x0b,
  disconnect: 0x0c,
  goaway: 0x0d,
  goawayBefore: 0x0e,
  lostReply: 0x0f,
  malformed: 0x10,
  slow: 0x11,
  reason: 0x12,
};
const kindsByCode = new Map(Object.entries(codes).map(([kind, code]) => [code, kind as Kind]));

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** Deterministic. @param argument 0 to 255, see the README. @default 1 for kinds that count */
export const apnsToken = (kind: Kind, n: number, argument: number = defaultArgument(kind)): string => {
  if (kind !== 'accepted') return APNS_MARKER + hex(codes[kind], 2) + hex(argument & 0xff, 2) + hex(n, 52);
  // Never the marker: the first digit is not 0.
  return `a${createHash('sha256').update(`apns ${n}`).digest('hex').slice(1)}`;
};

export const apnsReasonToken = (reason: ApnsReason, n: number): string =>
  apnsToken(
    'reason',
    n,
    APNS_REASONS.findIndex(([name]) => name === reason),
  );

export const parseApnsToken = (token: string): { kind: Kind; argument: number } | undefined => {
  if (!token.startsWith(APNS_MARKER)) return undefined;
  const kind = kindsByCode.get(Number.parseInt(token.slice(8, 10), 16));
  return { kind: kind ?? 'accepted', argument: Number.parseInt(token.slice(10, 12), 16) };
};
