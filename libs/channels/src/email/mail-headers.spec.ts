import { describe, expect, it } from '@jest/globals';
import { EmailContent } from '@tidings/events';
import fc from 'fast-check';
import { content, texts, written } from '../testing/payloads.ts';
import { writtenMail } from './dkim.ts';
import { email } from './email-definition.ts';
import type { Letter } from './email-payload.ts';
import { mailOf, mailDefaultsOf } from './mail.ts';

const DATE = new Date('2026-11-26T15:04:05.678Z');
const sender = { from: { address: 'shop@example.com', name: 'Shop' }, replyTo: undefined, dkim: undefined };

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\r',
        '\u2028',
        '\u0085',
        '\0',
        'Bcc: eve@example.com',
        '\r\n\r\n<p>body',
        ' ',
        '\t',
        '=?UTF-8?Q?=0D=0A?=',
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

const namesIn = (mail: string): string[] =>
  mail
    .slice(0, mail.indexOf('\r\n\r\n'))
    .split(/\r\n(?![ \t])/)
    .map((line) => line.slice(0, line.indexOf(':')));

const expected = [
  ...['From', 'To', 'Subject', 'Date', 'Message-ID', 'Reply-To', 'List-Unsubscribe', 'MIME-Version', 'Content-Type'],
];

describe('the headers of a mail', () => {
  it('are only its own, for any names, subject, files and links', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, hostile, (name, reply, subject, file, link) => {
        const own = EmailContent.fromPartial({
          from: { address: 'team@example.com', name },
          replyTo: { address: 'help@example.com', name: reply },
          attachments: [{ name: file, content: Buffer.from('x') }],
          listUnsubscribe: link,
        });
        const letter: Letter = {
          to: 'anna@example.com',
          subject,
          html: '<p>Hello</p>',
          p: 'P',
          fromName: reply,
          replyName: name,
          listUnsubscribe: `https://h/${encodeURIComponent(link.toWellFormed())}`,
        };
        const mail = mailOf(letter, mailDefaultsOf(content({ email: own }), sender, DATE), 'token');
        const raw = writtenMail(mail, undefined, DATE).toString();
        expect(namesIn(raw)).toEqual(expected);
        const parts = raw.split('--=_mixed\r\n').at(-1)!;
        expect(namesIn(parts)).toEqual(['Content-Type', 'Content-Transfer-Encoding', 'Content-Disposition']);
        expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      }),
    );
  });

  it('have spaces in place of line breaks in values', () => {
    const fields = { title: texts({ default: 'For {{Name}}' }), tags: ['Name'] };
    const values = ['Anna\r\nBcc: eve@example.com\u2028\nX'];
    const letter = JSON.parse(written(email, fields, { language: '', values }).body.toString()) as Letter;
    const mail = mailOf(letter, mailDefaultsOf(content(), sender, DATE), 'token');
    expect(mail.headers).toContain('Subject: For Anna Bcc: eve@example.com X');
  });
});
