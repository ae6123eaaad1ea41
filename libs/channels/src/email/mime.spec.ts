import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { attachmentHeader, oneLine, quotedPrintable } from './mime.ts';

const parts = fc.oneof(
  fc.constantFrom('\r\n', '\n', '\r', '.', ' ', '\t', '=', '=?UTF-8?Q?a?=', '"', '\\', '; filename=', '*0*=', '%'),
  fc.constantFrom('ü', '💚', '\ud83d', ' '.repeat(60), 'a'.repeat(75)),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const texts = fc.array(parts, { maxLength: 12 }).map((each) => each.join(''));

describe('quoted-printable (RFC 2045, 6.7)', () => {
  const decoded = (encoded: string): string => {
    const bytes = encoded
      .replace(/=\r\n/g, '')
      .replace(/=(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    return Buffer.from(bytes, 'latin1').toString();
  };

  it('keeps any text in printable lines of 76 characters, of which none begins with a dot or ends with white space', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const encoded = quotedPrintable(text);
        expect(decoded(encoded)).toBe(text.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n'));
        for (const line of encoded.split('\r\n')) expect(line).toMatch(/^(?!\.)[\x20-\x7e\t]{0,76}(?<![ \t])$/);
      }),
      { numRuns: 500 },
    );
    expect(quotedPrintable(`Hello\n.\n..${'.'.repeat(150)}\n`)).toBe(
      `Hello\r\n=2E\r\n=2E${'.'.repeat(72)}=\r\n=2E${'.'.repeat(72)}=\r\n=2E.....\r\n`,
    );
  });
});

describe('the name of an attachment', () => {
  it('arrives unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (name) => {
        const header = attachmentHeader(name);
        expect(Math.max(...header.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
        const mail = await simpleParser(`Content-Type: text/csv\r\n${header}\r\n\r\na;b`);
        expect(mail.attachments[0]?.filename ?? '').toBe(oneLine(name.toWellFormed()));
      }),
      { numRuns: 300 },
    );
  });
});
