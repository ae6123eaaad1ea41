import { type ShortMessage, Tag } from './smpp-pdu.ts';

/** A receipt of an SMSC about one accepted part. */
export interface SmppReceipt {
  /** The id as the receipt spells it: decimal where the answer may have been hexadecimal, or the reverse. */
  readonly id: string;
  /** The recipient's number, as the SMSC spells it. */
  readonly number: string;
  /** The part arrived. Any other final state leaves the device without a confirmation. */
  readonly delivered: boolean;
}

/** Bits of `esm_class` that say what kind of message it is, and the value of a receipt. */
const KIND = 0x3c;
const RECEIPT = 0x04;

const DELIVERED = 2;
/** States that are not final: ENROUTE and ACCEPTED. */
const openStates: ReadonlySet<number> = new Set([1, 6]);
const openWords: ReadonlySet<string> = new Set(['ENROUTE', 'ACCEPTD']);

const untilZero = (bytes: Buffer | undefined): string => bytes?.toString('latin1').split('\0')[0]?.trim() ?? '';

/** Whether the part arrived; undefined for a state that is not final, and without one. */
function deliveredIn(state: number | undefined, text: string): boolean | undefined {
  if (state !== undefined) return openStates.has(state) ? undefined : state === DELIVERED;
  const word = /\bstat:\s*(\w+)/i.exec(text)?.[1]?.toUpperCase();
  return word === undefined || openWords.has(word) ? undefined : word === 'DELIVRD';
}

/** Reads a deliver_sm; undefined unless it is a receipt about a final state (R-P, SMPP receipt). */
export function smppReceipt({ esmClass, from, userData, optional }: ShortMessage): SmppReceipt | undefined {
  if ((esmClass & KIND) !== RECEIPT) return undefined;
  const text = userData.toString('latin1');
  const id = untilZero(optional.get(Tag.receiptedMessageId)) || (/\bid:\s*(\S+)/i.exec(text)?.[1] ?? '');
  const delivered = deliveredIn(optional.get(Tag.messageState)?.[0], text);
  return id === '' || delivered === undefined ? undefined : { id, number: from, delivered };
}

const canonical = (id: string): string => id.toLowerCase().replace(/^0+(?=.)/, '');

/** Longer ids are no numbers. */
const MAX_DIGITS = 40;

/**
 * The forms of an id, the id itself first: answers may have it in hexadecimal and receipts in decimal, or the reverse, and with zeros in front.
 * Two spellings of an id have a form in common.
 */
export function formsOfId(id: string): readonly string[] {
  const own = canonical(id);
  const forms = new Set([own]);
  if (own.length <= MAX_DIGITS) {
    if (/^\d+$/.test(own)) forms.add(BigInt(own).toString(16));
    if (/^[\da-f]+$/.test(own)) forms.add(BigInt(`0x${own}`).toString(10));
  }
  return [...forms];
}

/** Digits at the end of a number that say whose it is: SMSCs spell the rest in several ways. */
const OWN_DIGITS = 7;

/** The part of a number that all its spellings share. */
export const numberKey = (number: string): string => number.replace(/\D/g, '').slice(-OWN_DIGITS);
