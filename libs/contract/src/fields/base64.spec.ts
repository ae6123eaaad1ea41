import type { z } from 'zod';
import { base64, icon256, pngIcon } from './base64.ts';

const KIB = 1024;

const png = (length: number): string => {
  const bytes = Buffer.alloc(length);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(bytes);
  bytes.writeUInt32BE(256, 16);
  bytes.writeUInt32BE(256, 20);
  return bytes.toString('base64');
};
const reason = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value).error?.issues[0]?.message;

it.each([
  [pngIcon, 200 * KIB, 'must be a PNG of at most 200 KiB'],
  [icon256, 1024 * KIB, 'must be a 256x256 PNG'],
])('a picture is limited by its bytes, even if its text is mostly blanks: %#', (schema: z.ZodType, most, text) => {
  expect(reason(schema, png(most))).toBeUndefined();
  expect(reason(schema, png(most).replaceAll(/.{76}/g, '$&\r\n'))).toBeUndefined();
  expect(reason(schema, png(most + 1))).toBe(text);
  expect(reason(schema, `${png(100)}${' '.repeat(3 * most)}`)).toBe(text);
  expect(reason(schema, 17)).toBe(text);
  expect(reason(schema, `${png(most)}#`)).toBe('must be base64');
  expect(reason(schema, [])).toBe('must be a string');
});

it('every other file has the limit of texts (R-LM4)', () => {
  expect(reason(base64, 'A'.repeat(65_536))).toBeUndefined();
  expect(reason(base64, 'A'.repeat(65_540))).toBe('at most 65536 characters');
});
