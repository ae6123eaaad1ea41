import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { EmailContent } from '@tidings/events';
import { isTargetOf, linkKeyOf, readLinkToken } from '@tidings/messaging';
import fc from 'fast-check';
import { texts, written } from '../testing/payloads.ts';
import { email } from './email-definition.ts';
import { emailPayload, type Letter } from './email-payload.ts';
import { textOfHtml } from './html-text.ts';
import { MailLinks } from './mail-links.ts';

const key = linkKeyOf(createSecretKey(new Uint8Array(32).fill(5)));
const NOW = Date.UTC(2026, 10, 26);
const message = { application: 'AAAAA-00000', message: 'AF0B-EEFE4D5E-E445B2E9', messageId: 20_012_343_258n };
const URL_OF_SERVICE = 'https://push.example';

const links = new MailLinks(message, { key, clock: { now: () => NOW }, publicUrl: `${URL_OF_SERVICE}/` });
const own = { links, unsubscribes: false };
const definition: typeof email = { ...email, compile: (push, language, of) => emailPayload(push, language, of, own) };

function letterOf(html: string, tags: Readonly<Record<string, string>> = {}): Letter {
  const body = texts({ default: html });
  const fields = { email: EmailContent.fromPartial({ body }), tags: Object.keys(tags) };
  const { body: letter } = written(definition, fields, { values: Object.values(tags) });
  return JSON.parse(letter.toString()) as Letter;
}

const sent = (html: string, tags?: Readonly<Record<string, string>>): string => letterOf(html, tags).html;

const PIXEL = /<img src="https:\/\/push\.example\/mail\/open\/([\w-]{64})" width="1" height="1" alt="" style="[^"]*">/;
const CLICK = /https:\/\/push\.example\/mail\/click\/([\w-]{64})\/([\w-]{20})\?to=([\w%.!~*()-]*)/g;

const targetsIn = (html: string): string[] =>
  [...html.matchAll(CLICK)].map(([, token = '', mac = '', to = '']) => {
    const target = decodeURIComponent(to);
    expect(isTargetOf(key, message, { target, mac })).toBe(true);
    expect(readLinkToken(key, 'tracking', token)).toEqual({ ...message, seq: 66, writtenAt: NOW });
    return target;
  });

const restored = (html: string, encode: (target: string) => string): string =>
  html.replace(PIXEL, '').replace(CLICK, (_, _token, _mac, to: string) => encode(decodeURIComponent(to)));

describe('HTML of a mail (R-E17)', () => {
  it('has the image at the end of its body, or at its end', () => {
    expect(sent('<body><p>Hi</p></BODY ></html>')).toMatch(
      new RegExp(`^<body><p>Hi</p>${PIXEL.source}</BODY ></html>$`),
    );
    expect(sent('Hi')).toMatch(new RegExp(`^Hi${PIXEL.source}$`));
    expect(sent('<script>"</body>"</script><!-- </body> -->x')).toMatch(new RegExp(`x${PIXEL.source}$`));
    const [, token = ''] = PIXEL.exec(sent('Hi')) ?? [];
    expect(readLinkToken(key, 'tracking', token)).toEqual({ ...message, seq: 66, writtenAt: NOW });
    expect(readLinkToken(key, 'preferences', token)).toBeUndefined();
  });

  it.each<[string, string]>([
    ['<a href="https://shop.example/?a=1&amp;b=2#c">', 'https://shop.example/?a=1&b=2#c'],
    ["<A class='x' HREF = 'http://shop.example/a b'>", 'http://shop.example/a b'],
    ['<a href=https://shop.example/it&#39;s>', "https://shop.example/it's"],
    ['<a href=https://shop.example/>x</a>', 'https://shop.example/'],
    ['<a\n href="\n https://shop.example/\t1 "\n>', 'https://shop.example/1'],
    ['<a/href="https://shop.example"/>', 'https://shop.example'],
    ['<area href="https://shop.example">', 'https://shop.example'],
    ['<a title="1 > 0" href="https://shop.example">', 'https://shop.example'],
    ['<a href="https://shop.example" href="https://other.example">', 'https://shop.example'],
    ['<a clicktracking=on href="https://shop.example">', 'https://shop.example'],
    ['<a href="https://bücher.example/ü">', 'https://bücher.example/ü'],
    ['İ<a href="https://shop.example">', 'https://shop.example'],
    ['<3 <a href="https://shop.example">', 'https://shop.example'],
    ['<!--><a href="https://shop.example">', 'https://shop.example'],
    ['<a href="https://shop.example/?a=1&unknown;b&copy=1&eacute;">', 'https://shop.example/?a=1&unknown;b&copy=1é'],
    ['<a title=">" href="https://shop.example/&#x63;af&eacute;">', 'https://shop.example/café'],
    ['<!--> <textarea><a href="x"></textarea><a href="https://shop.example">', 'https://shop.example'],
    ['<a href="https://push.example.evil.example/">', 'https://push.example.evil.example/'],
  ])('leads through the service in %s', (html, target) => {
    expect(targetsIn(sent(html))).toEqual([target]);
  });

  it.each([
    '<a href="mailto:a@example.com">',
    '<a href="#top">',
    '<a href="/relative">',
    '<a href="//shop.example">',
    '<a href="tel:+49123">',
    '<a href="javascript:alert(1)">',
    '<a href="ftp://shop.example">',
    '<a href="https://">',
    '<a href="https://user:secret@shop.example/">',
    '<a href="https://push.example/s/abcdefgh">',
    '<a href="HTTPS://PUSH.example:443/mail/unsubscribe/x">',
    '<a clicktracking="off" href="https://shop.example">',
    '<a href="https://shop.example" clicktracking = OFF>',
    `<a href="https://shop.example/${'x'.repeat(2000)}">`,
    '<a href>',
    '<a href="https://shop.example',
    '<abbr href="https://shop.example">',
    '<link href="https://shop.example/style.css">',
    '<img src="https://shop.example/a.png">',
    '</a href="https://shop.example">',
    '<a data-href="https://shop.example">',
    '<!-- <a href="https://shop.example"> -->',
    '<script>"<a href=https://shop.example>"</script>',
    '<STYLE><a href="https://shop.example"></style >',
    'https://shop.example',
  ])('is unchanged in %s', (html) => {
    expect(sent(html).replace(PIXEL, '')).toBe(html);
  });

  it('keeps links that differ between recipients, and counts those that do not', () => {
    const html = '<a href="https://shop.example/{{Id}}">{{Id}}</a><a {{Id}} href="https://shop.example/{{No||a&b}}">';
    const result = sent(html, { Id: '"7"' });
    expect(result).toContain('<a href="https://shop.example/&quot;7&quot;">&quot;7&quot;</a><a &quot;7&quot; href="');
    // A fallback is text, and escaped.
    expect(targetsIn(result)).toEqual(['https://shop.example/a&b']);
    expect(targetsIn(sent('{{Id}}<a href="https://shop.example">{{Id}}</a>{{Id}}', { Id: 'x' }))).toEqual([
      'https://shop.example',
    ]);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['<p><a href="https://shop.example">https://shop.example</a> <a href="http://a.example/?b=1&amp;c">B</a></p>', {}],
    [
      '<title>{{A}}</title><h1 class="{{A}}">Dear {{A|Uppercase|you}},</h1><p>{{A}} &amp; {{B||nobody}}</p>',
      { A: 'x<y', B: '' },
    ],
    [
      '<a href="https://a.example/{{A}}">https://a.example/{{A}}</a> <a href="https://a.example/{{A}}">{{B}}</a>',
      { A: 'a', B: 'b' },
    ],
    ['{{A}}<!-- {{B}} -->{{B}}\ufdd00\ufdd0', { A: 'a', B: '&lt;' }],
    ['{{A}}&#xfdd0;0&#xfdd0;&#64976;7&#xFDD0;', { A: 'a' }],
  ])('has the text of %s, with the links of the sender', (html, values) => {
    const { text, html: tracked } = letterOf(html, values);
    expect(text).toBe(textOfHtml(tracked).replaceAll('\ufdd0', '\ufffd'));
    expect(text).not.toContain('push.example');
  });

  it('leaves the text to the HTML if values are markup', () => {
    expect(letterOf('{{A|Raw}}', { A: '<b>x</b>' })).not.toHaveProperty('text');
    expect(letterOf('{{A}}', { A: '<b>x</b>' })).toMatchObject({ text: '<b>x</b>' });
  });

  it.each<[string, string, string]>([
    ['<a href="{{A}}">Shop</a>', 'https://a.example/x', 'Shop <https://a.example/x>'],
    ['<p style="display:{{A}}">x</p>y', 'none', 'y'],
    ['<b style="text-transform:uppercase">{{A}}</b>', 'x', 'X'],
  ])('leaves the text to the HTML if it depends on values: %s', (html, A, text) => {
    const letter = letterOf(html, { A });
    expect(letter).not.toHaveProperty('text');
    expect(textOfHtml(letter.html)).toBe(text);
  });

  it('is the same except for its links, with any content', () => {
    const part = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('<a href=', '"', "'", '>', '<', ' ', '/', '=', '<!--', '-->', '</a>') },
      {
        weight: 2,
        arbitrary: fc.constantFrom('<a href="https://a.example/?x">', '<style>', '</style>', '</body>', '\\{'),
      },
      fc.constantFrom('https://b.example/&amp;', 'clicktracking=off', '<area\thref=https://c.example', '&', '\n'),
      fc.string({ unit: 'binary', maxLength: 5 }).map((text) => text.replace(/[{}\\]/g, '')),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const html = parts.join('').replaceAll('\\{', '').toWellFormed();
        const result = sent(html);
        targetsIn(result);
        // Entities and white space in targets are not written as they were.
        const plain = (text: string): string => text.replaceAll('&amp;', '&').replace(/\s+/g, '');
        expect(plain(restored(result, (target) => target))).toBe(plain(html));
      }),
      { numRuns: 200 },
    );
  });

  it('takes time and size in proportion to the length', () => {
    for (const part of ['<a ', '<a href=', '<a href="', '<a href=">', '<!--', '<style>', '</', "<a x='", '<a/', '= ']) {
      const before = process.cpuUsage();
      sent(part.repeat(60_000));
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(2_000);
    }
    const many = sent('<a href="https://shop.example/">x</a>'.repeat(6_000));
    expect(many.length).toBeLessThan(600_000);
    expect(targetsIn(many).length).toBeGreaterThan(500);
  });
});
