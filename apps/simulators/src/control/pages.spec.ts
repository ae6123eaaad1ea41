import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACCEPTED } from '../ledger/entries.ts';
import type { Simulators } from '../simulators.ts';
import { startSimulators } from '../simulators.ts';

const mail = (subject: string, html: string): string =>
  [
    ...['From: "Shop <x>" <shop@a.example>', 'To: anna@a.example', `Subject: ${subject}`, 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/mixed; boundary="b"', '', '--b', 'Content-Type: text/html; charset=utf-8', '', html],
    ...['--b', 'Content-Type: text/plain; name="a<i>.txt"', 'Content-Disposition: attachment; filename="a<i>.txt"', ''],
    ...['one', '--b--', ''],
  ].join('\r\n');

describe('the pages of received mail and SMS', () => {
  let simulators: Simulators;
  beforeAll(async () => {
    simulators = await startSimulators({ keepPayloads: true });
  });
  afterAll(() => simulators.close());

  const caught = (provider: 'email' | 'smpp' | 'sms', token: string, payload: string): void => {
    const push = { token, hash: '', collapseId: '', id: '', payload: Buffer.from(payload) };
    simulators.ledger.of(provider).record(push, 250, ACCEPTED);
  };
  const page = async (path: string) => {
    const reply = await fetch(simulators.controlUrl + path, { redirect: 'manual' });
    return { status: reply.status, policy: reply.headers.get('content-security-policy'), text: await reply.text() };
  };

  it('are empty at first, and begin with the mails', async () => {
    expect((await page('/')).status).toBe(302);
    expect((await page('/mail')).text).toContain('No mail yet');
    expect((await page('/sms')).text).toContain('No SMS yet');
  });

  it('list mails with their text escaped, and each mail in a frame without scripts', async () => {
    const html = '<h1>Hello</h1><script>alert(1)</script>';
    caught('email', 'first@a.example', mail('First', html));
    caught('email', 'anna@a.example', mail('<script>alert(2)</script>', html));
    const { text, policy } = await page('/mail');
    expect(policy).toMatch(/^default-src 'none'/);
    expect(text.indexOf('alert(2)')).toBeLessThan(text.indexOf('First'));
    expect(text).toContain('<a href="/mail/1">&lt;script&gt;alert(2)&lt;/script&gt;</a>');
    expect(text).not.toContain('<script>');
    const shown = await page('/mail/1');
    expect(shown.text).toContain('<iframe sandbox="" src="/mail/1/html"');
    expect(shown.text).toContain('a&lt;i&gt;.txt');
    expect(shown.text).not.toMatch(/<script>|<i>/);
    const frame = await page('/mail/1/html');
    expect(frame.policy).toMatch(/^sandbox; default-src 'none';/);
    expect(frame.text).toContain(html);
    for (const row of ['7', 'x', '-1']) expect((await page(`/mail/${row}/html`)).status).toBe(404);
  });

  it('list SMS of both providers', async () => {
    caught('smpp', '+4917000000001', JSON.stringify({ from: 'Shop', text: 'Code <1>', part: 2, parts: 3 }));
    caught(
      'sms',
      '+4917000000002',
      JSON.stringify({ from: '+1', body: 'Picture', media: ['https://a.example/p.png'] }),
    );
    const { text } = await page('/sms');
    expect(text).toContain('<td>2 of 3</td><td><pre>Code &lt;1&gt;</pre></td>');
    expect(text).toContain('<pre>Picture\nhttps://a.example/p.png</pre>');
  });
});
