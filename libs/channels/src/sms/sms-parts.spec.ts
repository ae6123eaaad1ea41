import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { gsm7 } from './gsm7.ts';
import { GSM_7, joiningHeader, type SmsParts, smsParts, UCS_2 } from './sms-parts.ts';

const ALPHABET = [...'@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&()*+,-./0189:;<=>?¡AZÄÖÑÜ§¿azäöñüà\f^{}\\[~]|€'];
const gsmText = (max: number) => fc.string({ unit: fc.constantFrom(...ALPHABET), maxLength: max });

const characters = new Map(
  Array.from({ length: 0x2100 }, (_, unit) => String.fromCharCode(unit)).map((character) => [
    gsm7(character)?.toString('hex'),
    character,
  ]),
);

const gsm7TextOf = (part: Uint8Array): string =>
  Buffer.from(part)
    .toString('hex')
    .replaceAll(/1b..|../g, (bytes) => characters.get(bytes)!);

const read = ({ dataCoding, parts }: SmsParts): string =>
  parts
    .map((part) => (dataCoding === GSM_7 ? gsm7TextOf(part) : Buffer.from(part).swap16().toString('utf16le')))
    .join('');

describe('the alphabet of GSM', () => {
  it.each([
    ['@', '00'],
    ['Hello', '48656c6c6f'],
    ['èÅΔ_', '04 0e 10 11'],
    ['ÆßÉ¡¿à', '1c 1e 1f 40 60 7f'],
    ['€', '1b65'],
    ['[]{}^~|\\', '1b3c 1b3e 1b28 1b29 1b14 1b3d 1b40 1b2f'],
  ])('has %j as %s', (text, hex) => {
    expect(gsm7(text)?.toString('hex')).toBe(hex.replaceAll(' ', ''));
  });

  it('has no other characters, and no escape', () => {
    for (const text of ['\x1b', 'ç', 'ё', '漢', '😀', '`', 'Á']) expect(gsm7(text)).toBeUndefined();
  });
});

describe('smsParts', () => {
  it.each([
    ['a'.repeat(160), GSM_7, [160]],
    ['a'.repeat(161), GSM_7, [153, 8]],
    [`${'a'.repeat(152)}€${'b'.repeat(20)}`, GSM_7, [152, 22]],
    ['€'.repeat(80), GSM_7, [160]],
    ['я'.repeat(70), UCS_2, [140]],
    ['я'.repeat(71), UCS_2, [134, 8]],
    [`${'я'.repeat(66)}😀${'я'.repeat(5)}`, UCS_2, [132, 14]],
    ['', GSM_7, [0]],
  ])('divides %j', (text, dataCoding, lengths) => {
    const parts = smsParts(text)!;
    expect([parts.dataCoding, parts.parts.map(({ length }) => length)]).toEqual([dataCoding, lengths]);
  });

  it('keeps every text, in parts that end between characters', () => {
    fc.assert(
      fc.property(fc.oneof(gsmText(2000), fc.string({ unit: 'grapheme', maxLength: 800 })), (text) => {
        const parts = smsParts(text)!;
        expect(read(parts)).toBe(text.toWellFormed());
        const [single, part] = parts.dataCoding === GSM_7 ? [160, 153] : [140, 134];
        for (const { length } of parts.parts)
          expect(length).toBeLessThanOrEqual(parts.parts.length === 1 ? single : part);
        if (parts.dataCoding === UCS_2)
          for (const each of parts.parts)
            expect(Buffer.from(each).swap16().toString('utf16le').isWellFormed()).toBe(true);
      }),
    );
  });

  it('refuses a text of more parts than a header can count', () => {
    expect(smsParts('a'.repeat(255 * 153))?.parts).toHaveLength(255);
    expect(smsParts('a'.repeat(255 * 153 + 1))).toBeUndefined();
  });

  it('joins parts by a header of one reference', () => {
    expect(joiningHeader(0x1ff, 3, 2).toString('hex')).toBe('050003ff0302');
  });
});
