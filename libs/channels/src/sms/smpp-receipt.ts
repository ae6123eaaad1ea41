import { type ShortMessage, Tag } from './smpp-pdu.ts';

export interface SmppReceipt {
  /** The answer may be hexadecimal where the receipt is decimal, or the reverse. */
  readonly id: string;
  readonly number: string;
  readonly delivered: boolean;
}

const KIND = 0x3c;
const RECEIPT = 0x04;

const DELIVERED = 2;
const openStates: ReadonlySet<number> = new Set([1, 6]);
const openWords: ReadonlySet<string> = new Set(['ENROUTE', 'ACCEPTD']);

const untilZero = (bytes: Buffer | undefined): string => bytes?.toString('latin1').split('\0')[0]?.trim() ?? '';

function deliveredIn(state: number | undefined, text: string): boolean | undefined {
  if (state !== undefined) return openStates.has(state) ? undefined : state === DELIVERED;
  const word = /\bstat:\s*(\w+)/i.exec(text)?.[1]?.toUpperCase();
  return word === undefined || openWords.has(word) ? undefined : word === 'DELIVRD';
}

export function smppReceipt({ esmClass, from, userData, optional }: ShortMessage): SmppReceipt | undefined {
  if ((esmClass & KIND) !== RECEIPT) return undefined;
  const text = userData.toString('latin1');
  const id = untilZero(optional.get(Tag.receiptedMessageId)) || (/\bid:\s*(\S+)/i.exec(text)?.[1] ?? '');
  const delivered = deliveredIn(optional.get(Tag.messageState)?.[0], text);
  return id === '' || delivered === undefined ? undefined : { id, number: from, delivered };
}

const canonical = (id: string): string => id.toLowerCase().replace(/^0+(?=.)/, '');

const MAX_DIGITS = 40;

export function formsOfId(id: string): readonly string[] {
  const own = canonical(id);
  const forms = new Set([own]);
  if (own.length <= MAX_DIGITS) {
    if (/^\d+$/.test(own)) forms.add(BigInt(own).toString(16));
    if (/^[\da-f]+$/.test(own)) forms.add(BigInt(`0x${own}`).toString(10));
  }
  return [...forms];
}

/** SMSCs spell the rest of a number in several ways. */
const OWN_DIGITS = 7;

export const numberKey = (number: string): string => number.replace(/\D/g, '').slice(-OWN_DIGITS);
