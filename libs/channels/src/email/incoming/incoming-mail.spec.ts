import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bounceOf } from '../bounces.ts';
import { MAIL_TOKEN_LENGTH, messageIdOf, returnPathOf } from '../mail-token.ts';
import { smtpReplyOf } from '../smtp-reply.ts';
import { deliveryReport, feedbackReport, golden } from './testing/golden-mails.ts';
import { type IncomingMail, incomingMailOf } from './incoming-mail.ts';

const read = (text: string): Promise<IncomingMail> => incomingMailOf(Buffer.from(text, 'latin1'));
const [first, second, third] = ['a', 'b', 'c'].map((digit) => digit.repeat(MAIL_TOKEN_LENGTH)) as [
  string,
  string,
  string,
];

describe('an incoming mail', () => {
  it.each(Object.entries(golden))('is recognized: %s', async (_name, { mail, expected }) => {
    expect(await incomingMailOf(mail)).toMatchObject(expected);
  });

  it('is a bounce in an encoded part, and inside the parts of a filter', async () => {
    const status = Buffer.from('Action: failed\r\nStatus: 5.1.1\r\n').toString('base64');
    const report = [
      ...['Content-Type: multipart/report; boundary=in', '', '--in', 'Content-Transfer-Encoding: base64'],
      ...['Content-Type: message/delivery-status', '', status, '--in--'],
    ].join('\r\n');
    const filtered = ['Content-Type: multipart/mixed; boundary="out"', '', '--out', report, '--out--'].join('\r\n');
    for (const mail of [report, filtered]) expect(await read(mail)).toMatchObject({ kind: 'bounced', name: '5.1.1' });
  });

  it('is read with comments, and with parameters in parts (RFC 2231)', async () => {
    const mail = [
      'From: MAILER-DAEMON (the "daemon") @mx.example.net',
      'Content-Type: multipart/report (a report); report-type*0=delivery-; report-type*1=status;',
      '\tboundary*0="=_re";\r\n boundary*1=port',
      '',
      '--=_report',
      'Content-Type: message/delivery-status (RFC 3464)',
      '',
      'Action: (nested (comment)) failed',
      'Status: 5.2.1 (disabled)',
      '--=_report--',
    ].join('\r\n');
    expect(await read(mail)).toMatchObject({ kind: 'bounced', category: 'BOUNCED_HARD_MAILBOX_INACTIVE' });
  });

  it('is classified without the content of the mail that it returns', async () => {
    const returned = deliveryReport({ status: [['Action: failed', 'Status: 5.1.1']] }).toString('latin1');
    const forwarded = [
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      'Content-Type: message/rfc822',
      '',
      returned,
    ];
    expect(await read([...forwarded, '--x--'].join('\r\n'))).toEqual({ kind: 'other' });
  });

  it.each([
    ['abuse', true],
    ['fraud', true],
    ['Other', true],
    ['abuse (of a list)', true],
    ['(a "comment") Fraud', true],
    ['not-spam (abuse)', false],
    ['not-spam', false],
    ['auth-failure', false],
    ['', false],
  ])('is a complaint or not: %s', async (type, isComplaint) => {
    const mail = await incomingMailOf(feedbackReport({ type }));
    expect(mail).toEqual(isComplaint ? { kind: 'complained', tokens: [] } : { kind: 'feedback' });
  });

  it('names the reported mail by its return path, or its Message-ID', async () => {
    const mail = feedbackReport({
      fields: [`Original-Mail-From: <${returnPathOf(first, 'bounces.example').toUpperCase()}>`],
      original: [
        `Return-Path: <${returnPathOf(second, 'bounces.example')}>`,
        `Message-ID:\r\n <${messageIdOf('P_0_1_a-b-c_d', third)}@shop.example>`,
      ],
    });
    expect(await incomingMailOf(mail)).toEqual({ kind: 'complained', tokens: [first.toUpperCase(), second, third] });
    const headers = feedbackReport({
      originalType: 'text/rfc822-headers',
      original: [`Message-Id: <${messageIdOf('P', third)}@shop.example>`],
    });
    expect(await incomingMailOf(headers)).toEqual({ kind: 'complained', tokens: [third] });
  });

  it('is classified like the same reply at once if it returns a mail (R-E18)', async () => {
    const words = fc.constantFrom(
      'spam',
      'attachment',
      'suppressed',
      'full',
      'no such user',
      '550',
      '5.1.1',
      ';',
      '(a)',
    );
    const enhanced = fc.constantFrom(
      '5.1.1',
      '5.1.8',
      '5.2.1',
      '5.2.2',
      '5.3.4',
      '5.6.0',
      '5.7.1',
      '5.7.26',
      '4.2.2',
      '4.4.7',
    );
    const texts = fc.array(words, { maxLength: 5 }).map((parts) => parts.join(' '));
    const status = fc.constantFrom(400, 421, 450, 452, 500, 550, 551, 552, 553, 554);
    await fc.assert(
      fc.asyncProperty(status, fc.option(enhanced, { nil: '' }), texts, async (code, own, text) => {
        const reply = `${own} ${text}`.trim();
        const generic = `${String(code).charAt(0)}.0.0`;
        const fields = ['Action: failed', `Status: ${own || generic}`, `Diagnostic-Code: smtp; ${code} ${reply}`];
        const parsed = smtpReplyOf(code, reply);
        expect(await incomingMailOf(deliveryReport({ status: [fields] }))).toMatchObject({
          kind: 'bounced',
          category: bounceOf(parsed),
          code: String(code),
          name: parsed.enhanced,
        });
      }),
    );
  });

  it('finds the failed recipient among the first hundred', async () => {
    const delivered = ['Final-Recipient: rfc822; a@b.example', 'Action: delivered', 'Status: 2.0.0'];
    const failed = ['Final-Recipient: rfc822; a@b.example', 'Action: failed', 'Status: 5.1.1'];
    const after = (n: number): Buffer =>
      deliveryReport({ status: [...Array.from({ length: n }, () => delivered), failed] });
    expect(await incomingMailOf(after(99))).toMatchObject({ kind: 'bounced' });
    expect(await incomingMailOf(after(100))).toEqual({ kind: 'delivered' });
  });
});

describe('any bytes', () => {
  const words = [
    ...[
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      'Content-Type: multipart/mixed; boundary=',
    ],
    ...[
      'Content-Type: message/delivery-status',
      'Content-Type: message/feedback-report',
      'Content-Type: message/rfc822',
    ],
    ...['Content-Transfer-Encoding: base64', 'Content-Transfer-Encoding: quoted-printable', '--b', '--b--', '--', ''],
    ...[
      'Action: failed',
      'Action: delayed',
      'Status: 5.1.1',
      'Status: 9.9.9',
      'Diagnostic-Code: smtp; 550',
      ': ',
      ' =',
      '\t;="',
    ],
    ...['Feedback-Type: abuse', 'From: postmaster', 'X-Failed-Recipients: a', '\u00ff\u0000', '550 5.1.1 no', '5.1'],
  ];
  const mails = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 20 })), { maxLength: 40 });

  it('are read, with the same result for either line ending', async () => {
    await fc.assert(
      fc.asyncProperty(mails, async (lines) => {
        const mail = await read(lines.join('\r\n'));
        if (!lines.some((line) => line.includes('\r'))) expect(await read(lines.join('\n'))).toEqual(mail);
        if (mail.kind === 'bounced') {
          expect(mail.category).toMatch(/^BOUNCED_/);
          expect(mail.code).toMatch(/^(0|[45]\d\d)$/);
          expect(mail.name).toMatch(/^([245]\.\d{1,3}\.\d{1,3})?$/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('do not hide or change a report before them', async () => {
    const report = deliveryReport({ status: [['Action: failed', 'Status: 5.1.1']] });
    const after = fc.uint8Array({ maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(after, async (bytes) => {
        expect(await incomingMailOf(Buffer.concat([report, bytes]))).toEqual(await incomingMailOf(report));
      }),
    );
  });

  const MIB = 1024 * 1024;
  it.each<[string, string]>([
    ['levels', 'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n'.repeat(20_000)],
    ['parts', `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\n'.repeat(150_000)}`],
    ['almost delimiters', `Content-Type: multipart/mixed; boundary=bbbbbbbb\r\n\r\n${'--bbbbbbb'.repeat(115_000)}`],
    ['dashes', `Content-Type: multipart/mixed; boundary="${'-'.repeat(950)}"\r\n\r\nx${'-'.repeat(1_000_000)}`],
    [
      'lines of dashes',
      `Content-Type: multipart/mixed; boundary="${'-'.repeat(70)}"\r\n\r\n${`${'-'.repeat(71)}\n`.repeat(14_000)}`,
    ],
    ['fields', 'A: b\r\n'.repeat(170_000)],
    ['folded lines', `Content-Type: a${'\r\n b'.repeat(250_000)}`],
    ['one line', `Content-Type: ${';a="'.repeat(260_000)}`],
    ['parameters', `Content-Type: multipart/report${';a=b'.repeat(260_000)}`],
    ['addresses', `X-Failed-Recipients: a\r\n\r\n550 5.1.1 ${'a@'.repeat(500_000)}`],
    ['digits', `X-Failed-Recipients: a\r\n\r\n${'5.1.'.repeat(260_000)}`],
    ['spaces', `X-Failed-Recipients: a\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${'= '.repeat(500_000)}`],
    ['empty lines', '\n'.repeat(MIB)],
    ['groups of addresses', `To: ${'a:'.repeat(500_000)}`],
    ['long groups of addresses', `To: ${'a:'.repeat(30_000)}`],
    ['encoded words', `Subject: ${'=?utf-8?q?a?= '.repeat(4_000)}\r\nFrom: ${'=?utf-8?q?a?='.repeat(500)}`],
    ['tags', `From: postmaster\r\nContent-Type: text/html\r\n\r\n${'<a <'.repeat(60_000)}`],
    ['comments', `From: ${'('.repeat(60_000)}\r\nContent-Type: ${'(\\"'.repeat(300)}`],
    [
      'parts in quoted-printable',
      `Content-Type: multipart/mixed; boundary=b\r\n${'\r\n--b\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n='.repeat(20_000)}`,
    ],
    ['codes', `From: postmaster\r\n\r\n${': 550 '.repeat(170_000)}`],
    ['marks', `From: postmaster\r\n\r\n${'(# \n [5.1.'.repeat(100_000)}`],
    ['dashes in a text', `From: postmaster\r\n\r\n${`${'->'.repeat(400)}\n`.repeat(1_000)}`],
    ['recipients', deliveryReport({ status: Array.from({ length: 40_000 }, () => ['Action: relayed']) }).toString()],
  ])('cost little in any number of %s', async (_of, text) => {
    const mail = Buffer.from(text.slice(0, MIB), 'latin1');
    const before = process.cpuUsage();
    await incomingMailOf(mail);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1_500);
  });
});
