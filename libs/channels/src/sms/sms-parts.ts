import { gsm7, isSeptetBoundary } from './gsm7.ts';

export const GSM_7 = 0;
export const UCS_2 = 8;

export interface SmsParts {
  readonly dataCoding: typeof GSM_7 | typeof UCS_2;
  readonly parts: readonly Buffer[];
}

const GSM_7_UNITS = { single: 160, part: 153 };
const UCS_2_BYTES = { single: 140, part: 134 };

const MAX_PARTS = 255;

function ucs2(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

const isHighSurrogate = (byte: number): boolean => (byte & 0xfc) === 0xd8;

const isCharacterBoundary = (bytes: Uint8Array, at: number): boolean => !isHighSurrogate(bytes[at - 2]!);

interface Cutting {
  readonly length: number;
  readonly unit: number;
  readonly isBoundary: (bytes: Uint8Array, at: number) => boolean;
}

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

export const joiningHeader = (reference: number, count: number, part: number): Buffer =>
  Buffer.from([5, 0, 3, reference & 0xff, count, part]);
