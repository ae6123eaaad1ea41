import { gsm7, isSeptetBoundary } from './gsm7.ts';

/** SMPP's `data_coding` of the default alphabet, and of UCS-2. */
export const GSM_7 = 0;
export const UCS_2 = 8;

/** A text as the user data of one SMS, or of several that the phone joins. */
export interface SmsParts {
  readonly dataCoding: typeof GSM_7 | typeof UCS_2;
  /** User data without headers; at least one, empty for an empty text. */
  readonly parts: readonly Buffer[];
}

/** Units of user data in a single SMS, and in a part beside the header that joins it: septets, or bytes of UCS-2. */
const GSM_7_UNITS = { single: 160, part: 153 };
const UCS_2_BYTES = { single: 140, part: 134 };

/** The header counts parts in a byte. */
const MAX_PARTS = 255;

function ucs2(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

const isHighSurrogate = (byte: number): boolean => (byte & 0xfc) === 0xd8;

/** Whether a text in UCS-2 may be cut before this byte: the halves of a character belong together. */
const isCharacterBoundary = (bytes: Uint8Array, at: number): boolean => !isHighSurrogate(bytes[at - 2]!);

interface Cutting {
  readonly length: number;
  /** Step back from a place that is no boundary. */
  readonly unit: number;
  readonly isBoundary: (bytes: Uint8Array, at: number) => boolean;
}

/** Parts of at most `length` bytes; undefined if there are too many. */
function cut(bytes: Buffer, { length, unit, isBoundary }: Cutting): Buffer[] | undefined {
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    if (parts.length === MAX_PARTS) return undefined;
    let to = Math.min(bytes.length, from + length);
    if (to < bytes.length && !isBoundary(bytes, to)) to -= unit;
    parts.push(bytes.subarray(from, to));
    from = to;
  }
  return parts;
}

/**
 * A text in the default alphabet if that has all of its characters, else in UCS-2, in as many parts as it needs. A part never ends inside a
 * character. Undefined for a text of more than 255 parts.
 */
export function smsParts(text: string): SmsParts | undefined {
  const septets = gsm7(text);
  const bytes = septets ?? ucs2(text.toWellFormed());
  const dataCoding = septets ? GSM_7 : UCS_2;
  const { single, part: length } = septets ? GSM_7_UNITS : UCS_2_BYTES;
  if (bytes.length <= single) return { dataCoding, parts: [bytes] };
  const parts = cut(
    bytes,
    septets ? { length, unit: 1, isBoundary: isSeptetBoundary } : { length, unit: 2, isBoundary: isCharacterBoundary },
  );
  return parts && { dataCoding, parts };
}

/** The header of a part of several: an 8-bit reference that all of them share, their number, and the number of this one from 1. */
export const joiningHeader = (reference: number, count: number, part: number): Buffer =>
  Buffer.from([5, 0, 3, reference & 0xff, count, part]);
