import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Content, EmailContent } from '@tidings/events';
import { isDkimSigned } from '@tidings/testing';
import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { content, isHashOf, texts, TOKEN, written } from '../testing/payloads.ts';
import { writtenMail } from './dkim.ts';
import { tagsOf } from '../content-texts.ts';
import { email } from './email-definition.ts';
import type { Letter } from './email-payload.ts';
import { textOfHtml } from './html-text.ts';
import { mailOf, mailDefaultsOf } from './mail.ts';
import { goldenWords, wordsOf } from './testing/golden-words.ts';
import { htmlMails } from './testing/html-mails.ts';

const DATE = new Date('2026-11-26T15:04:05.678Z');
const sender = {
  from: { address: 'shop@example.com', name: 'Shop' },
  replyTo: { address: 'help@example.com', name: '' },
  dkim: undefined,
};

const letter = (fields: Partial<Letter> = {}): Letter => ({
  to: 'anna@example.com',
  subject: 'News',
  html: '<p>Hello</p>',
  p: 'P_0_1_a-b-c_d',
  ...fields,
});
const mailWith = (fields: Partial<Letter>, own: Partial<EmailContent> = {}): string => {
  const emailContent = content({ email: { ...EmailContent.create(), ...own } });
  return writtenMail(
    mailOf(letter(fields), mailDefaultsOf(emailContent, sender, DATE), 'token'),
    undefined,
    DATE,
  ).toString();
};

const letterOf = (fields: Partial<Content>, language = '', values: readonly string[] = []): Letter =>
  JSON.parse(written(email, fields, { language, values }).body.toString()) as Letter;

describe('a letter', () => {
  it('has the address, the hash, and the common text and title as body and subject', () => {
    const { p, ...rest } = letterOf({ title: texts({ default: 'Title' }) });
    expect(rest).toEqual({ to: TOKEN, subject: 'Title', html: 'Hello' });
    expect(isHashOf(p, 14)).toBe(true);
  });

  it('has the subject under the key of its body, else none (R-E9)', () => {
    const own = {
      body: texts({ de: 'Körper', default: 'Body', fr: 'Corps' }),
      subject: texts({ de: 'Betreff', default: 'Subject' }),
    };
    const textsIn = (language: string): string[] => {
      const { subject, html } = letterOf({ email: EmailContent.fromPartial(own) }, language);
      return [subject, html];
    };
    expect(textsIn('de')).toEqual(['Betreff', 'Körper']);
    expect(textsIn('es')).toEqual(['Subject', 'Body']);
    expect(textsIn('fr')).toEqual(['', 'Corps']);
  });

  it('escapes values in its body, except raw ones, and nothing in its subject (R-I17)', () => {
    const fields = {
      email: EmailContent.fromPartial({ body: texts({ default: '<b>{{A}}</b>{{A|Raw}}{{A|Uppercase}}' }) }),
      title: texts({ default: '{{A}} & {{B||<x>}}' }),
      tags: ['A', 'B'],
    };
    expect(letterOf(fields, '', [`<i>"&'`, ''])).toMatchObject({
      html: `<b>&lt;i&gt;&quot;&amp;&#39;</b><i>"&'&lt;I&gt;&quot;&amp;&#39;`,
      subject: `<i>"&' & <x>`,
    });
  });
});

describe('the headers of a sender with placeholders (R-I17)', () => {
  const own = EmailContent.fromPartial({
    listUnsubscribe: 'https://x.example/u?id={{Id|Regular|no one}}',
    from: { address: '{{Id}}@shop.example', name: 'Shop of {{Id|CapitalizeFirst}}' },
    replyTo: { address: 'help@example.com', name: '{{Team||"Help"}}' },
  });
  const headersFor = (values: readonly string[]) => {
    const rendered = letterOf({ email: own, tags: ['Id', 'Team'] }, '', values);
    const { headers } = mailOf(rendered, mailDefaultsOf(content({ email: own }), sender, DATE), 'token');
    return headers.filter((line) => /^(From|Reply-To|List-Unsubscribe):/.test(line));
  };

  it('are filled for each recipient, and addresses are not', () => {
    expect(headersFor(['mia & co>', ''])).toEqual([
      'From: "Shop of Mia & co>"\r\n <{{Id}}@shop.example>',
      'Reply-To: "\\"Help\\""\r\n <help@example.com>',
      'List-Unsubscribe: <https://x.example/u?id=mia%20%26%20co%3E>',
    ]);
    expect(headersFor(['', 'Müller\r\nBcc: eve@example.com'])).toEqual([
      'From: "Shop of"\r\n <{{Id}}@shop.example>',
      expect.stringMatching(/^Reply-To: =\?UTF-8\?B\?[^\n]+\r\n( =\?UTF-8[^\n]+\r\n)* <help@example.com>$/),
      'List-Unsubscribe: <https://x.example/u?id=no%20one>',
    ]);
  });

  it('have the values of the request, and name their tags', () => {
    const rendered = letterOf({ email: own, placeholders: '{"Id":42}' }, '');
    expect(rendered).toMatchObject({
      listUnsubscribe: 'https://x.example/u?id=42',
      fromName: 'Shop of 42',
      replyName: '"Help"',
    });
    expect(tagsOf(content({ email: own }))).toEqual(['Id', 'Team']);
  });
});

describe('a mail', () => {
  it('is HTML with its text as an alternative', () => {
    expect(mailWith({ subject: 'Grüße' })).toBe(
      [
        'From: "Shop"',
        ' <shop@example.com>',
        'To: anna@example.com',
        'Subject: =?UTF-8?B?R3LDvMOfZQ==?=',
        'Date: Thu, 26 Nov 2026 15:04:05 +0000',
        'Message-ID: <P_0_1_a-b-c_d.token@example.com>',
        'Reply-To: help@example.com',
        'MIME-Version: 1.0',
        'Content-Type: multipart/alternative;',
        ' boundary="=_alternative"',
        '',
        '--=_alternative',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'Hello',
        '--=_alternative',
        'Content-Type: text/html; charset=utf-8',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        '<p>Hello</p>',
        '--=_alternative--',
        '',
      ].join('\r\n'),
    );
  });

  it('has the sender, the addresses and the attachments of the message', async () => {
    const attachments = [
      { name: 'price list "A".pdf', content: Buffer.alloc(200, 7) },
      { name: 'Übersicht.csv', content: Buffer.from('a;b') },
    ];
    const from = { address: 'team@bücher.example', name: 'Jürgen, the "Boss"' };
    const mail = await simpleParser(
      mailWith(
        {},
        { from, replyTo: { address: 'r@example.com', name: '' }, attachments, listUnsubscribe: 'mailto:u@example.com' },
      ),
    );
    expect(mail.from!.value).toEqual([{ address: 'team@bücher.example', name: 'Jürgen, the "Boss"' }]);
    expect(mail.replyTo!.text).toBe('r@example.com');
    expect(mail.attachments.map(({ filename, content: bytes }) => [filename, bytes])).toEqual(
      attachments.map(({ name, content: bytes }) => [name, bytes]),
    );
    expect(mail.messageId).toBe('<P_0_1_a-b-c_d.token@xn--bcher-kva.example>');
    expect(mail.headers.get('list')).toMatchObject({ unsubscribe: { mail: 'u@example.com' } });
  });

  it('has no line longer than the limit of servers (RFC 5322), for any file names and links', async () => {
    const name = `${'ü💚'.repeat(120)}.pdf`;
    const listUnsubscribe = `https://example.com/${'u'.repeat(3_000)}`;
    const raw = mailWith({}, { attachments: [{ name, content: Buffer.from('x') }], listUnsubscribe });
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
    expect(raw.replaceAll('\r\n ', '')).toContain(`List-Unsubscribe: <${listUnsubscribe}>\r\n`);
    const mail = await simpleParser(raw);
    expect(mail.attachments.map(({ filename }) => filename)).toEqual([name]);
  });

  it('arrives unchanged for any texts, and without further headers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), async (subject, html) => {
        const raw = mailWith({ subject, html: `<p>${html}` });
        const lines = raw.split('\r\n');
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(78);
        expect(raw).toMatch(/^[\x20-\x7e\r\n\t]*$/);
        const mail = await simpleParser(raw);
        expect([...mail.headers.keys()].sort()).toEqual(
          ['content-type', 'date', 'from', 'message-id', 'mime-version', 'reply-to', 'subject', 'to'].filter(
            (name) => name !== 'subject' || mail.headers.has('subject'),
          ),
        );
        const plain = (text: string): string => text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]+/g, '');
        expect(plain(mail.subject ?? '')).toBe(plain(subject.toWellFormed()));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a signature (RFC 6376)', () => {
  const keys = {
    rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
    ed25519: generateKeyPairSync('ed25519'),
  };

  it('covers the link to unsubscribe by, and its one-click form (R-E11)', () => {
    const dkim = { domain: 'example.com', selector: 's1', key: keys.ed25519.privateKey };
    const unsubscribe = `https://push.example/mail/unsubscribe/${'x'.repeat(64)}`;
    const raw = writtenMail(
      mailOf(letter({ unsubscribe }), mailDefaultsOf(content(), sender, DATE), 'token'),
      dkim,
      DATE,
    ).toString();
    expect(raw).toContain(
      `\r\nList-Unsubscribe: <${unsubscribe}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`,
    );
    expect(raw.replace(/\s+/g, '')).toContain(':list-unsubscribe:list-unsubscribe-post:');
    expect(isDkimSigned(raw, keys.ed25519.publicKey)).toBe(true);
    expect(isDkimSigned(raw.replace('push.example', 'evil.example'), keys.ed25519.publicKey)).toBe(false);
  });

  it('is left out of a copy, which does not name the recipient either', () => {
    const unsubscribe = `https://push.example/mail/unsubscribe/${'x'.repeat(64)}`;
    const { headers } = mailOf(letter({ unsubscribe }), mailDefaultsOf(content(), sender, DATE), undefined);
    expect(headers.filter((header) => /^(List-Unsubscribe|Message-ID)/.test(header))).toEqual([
      'Message-ID: <P_0_1_a-b-c_d@example.com>',
    ]);
  });

  it.each(['rsa', 'ed25519'] as const)('covers the mail with a key of %s', (kind) => {
    const dkim = { domain: 'example.com', selector: 's1', key: keys[kind].privateKey };
    const mail = mailOf(
      letter({ subject: 'A long subject '.repeat(10) }),
      mailDefaultsOf(content(), sender, DATE),
      'token',
    );
    const raw = writtenMail(mail, dkim, DATE).toString();
    expect(raw).toMatch(/^DKIM-Signature: v=1; a=\S+; c=relaxed\/simple; d=example.com; s=s1;\r\n t=1795705445;/);
    expect(isDkimSigned(raw, keys[kind].publicKey)).toBe(true);
    expect(isDkimSigned(raw.replace('<p>Hello', '<p>Hallo'), keys[kind].publicKey)).toBe(false);
    expect(isDkimSigned(raw.replace('shop@', 'chop@'), keys[kind].publicKey)).toBe(false);
  });
});

describe('the text of HTML', () => {
  it.each([
    ['<h1>Hi</h1><p>One<br>two</p><p>Three &amp; <b>four</b></p>', 'Hi\n\nOne\ntwo\n\nThree & four'],
    ['<a href="https://example.com/?a=1&amp;b=2">Read</a> more', 'Read <https://example.com/?a=1&b=2> more'],
    ['<a href="https://example.com">https://example.com</a>', 'https://example.com'],
    ['<a href="#top">Top</a>', 'Top'],
    ['<style>p { color: red }</style><ul><li>a</li><li>b</li></ul>', '- a\n- b'],
    ['<a href="{{x}}"><img alt="Shop"></a><a title="x > y" href=\'tel:+49\'>call</a>', 'call <tel:+49>'],
    ['<a href="https://a.example/caf&eacute;?x&copy=1"><div>Menu</div></a>', 'Menu <https://a.example/café?x&copy=1>'],
    ['<p>Only for orders < 50 EUR. <b>Buy now</b></p><p>Second</p>', 'Only for orders < 50 EUR. Buy now\n\nSecond'],
    ['<p title="a > b">M&uuml;ller &bull; &#150;</p>', 'Müller • –'],
    ['<pre>\n a  b\n\n  c</pre>', 'a  b\n\n  c'],
    ['a<!-- hidden <b> -->b<script>x < y</script>', 'ab'],
    ['1 < 2', '1 < 2'],
    ['&#72;&#x69; &unknown; &#0;', 'Hi &unknown; \ufffd'],
  ])('is extracted: %s', (html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });

  it.each(htmlMails.map((html, i) => [i, html] as const))('has the words that Chromium shows of mail %i', (i, html) => {
    expect(wordsOf(textOfHtml(html))).toBe(goldenWords[i]);
  });

  it('takes time in proportion to the length', () => {
    const parts = [
      '<',
      '<a ',
      '<!--',
      '&',
      '<style>',
      '<a href="',
      '  ',
      '<div>',
      '<b><p>',
      '<li>',
      '</p>',
      '<td><a href=tel:1>',
      '<pre>\n',
    ];
    const sheet = `<style>${'a b c d{display:none}'.repeat(300)}</style>`;
    const head = [
      ...parts.map((part) => [part, ''] as const),
      ['<a><b>', sheet],
      ['<c><d></d>', sheet],
      ['/*', '<style>'],
      ['a{', '<style>'],
      ['<p>x', `<p>${Array.from({ length: 3_000 }, (_, i) => `<b id=${i}>`).join('')}</p>`],
      ['<p>x', `<p><b ${Array.from({ length: 3_000 }, (_, i) => `a${i} `).join('')}></p>`],
    ] as const;
    for (const [part, before] of head) {
      const start = process.cpuUsage();
      textOfHtml(before + part.repeat(100_000 / part.length));
      const { user, system } = process.cpuUsage(start);
      expect([part, (user + system) / 1000 < 1_500]).toEqual([part, true]);
    }
  });
});
