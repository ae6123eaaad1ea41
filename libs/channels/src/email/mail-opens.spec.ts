import { describe, expect, it } from '@jest/globals';
import { MailOpen } from '@tidings/events';
import { mailOpenOf, type MailRequest } from './mail-opens.ts';

const SAFARI = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const GMAIL = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';
const YAHOO = 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html';
const OUTLOOK = 'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17029; Pro)';

const { MAIL_OPEN_HUMAN: HUMAN, MAIL_OPEN_UNKNOWN: UNKNOWN } = MailOpen;
const { MAIL_OPEN_MACHINE_AMPP: AMPP, MAIL_OPEN_MACHINE: MACHINE } = MailOpen;

describe('an open (R-E17)', () => {
  it.each<[string, string | undefined, MailOpen, Partial<MailRequest>]>([
    ['a mail client', SAFARI, HUMAN, {}],
    ['Outlook', OUTLOOK, HUMAN, {}],
    ['the image proxy of Gmail', GMAIL, HUMAN, {}],
    ['the image proxy of Yahoo', YAHOO, HUMAN, {}],
    ['a phone whose brand ends like a bot', 'Mozilla/5.0 (Linux; Android 9; CUBOT X19) Chrome/120.0', HUMAN, {}],
    ['Mail Privacy Protection', 'Mozilla/5.0', AMPP, {}],
    ['Mail Privacy Protection on arrival', 'Mozilla/5.0', AMPP, { afterMs: 3 }],
    ['a longer user agent than that of Mail Privacy Protection', 'Mozilla/5.0 (X11)', HUMAN, {}],
    ['no user agent', undefined, UNKNOWN, {}],
    ['a blank user agent', ' ', UNKNOWN, {}],
    ['no user agent, on arrival', undefined, MACHINE, { afterMs: 1999 }],
    ['a mail client on arrival', SAFARI, MACHINE, { afterMs: 1999 }],
    ['a mail client two seconds after arrival', SAFARI, HUMAN, { afterMs: 2000 }],
    ['the image proxy of Gmail on arrival', GMAIL, MACHINE, { afterMs: 0 }],
    ['HEAD', SAFARI, MACHINE, { isHead: true }],
    ['a security gateway', 'Barracuda Sentinel (EE)', MACHINE, {}],
    ['a security gateway in a longer text', 'Mozilla/5.0 (compatible; Mimecast URL Protect)', MACHINE, {}],
    ['a crawler', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', MACHINE, {}],
    ['a library', 'python-requests/2.31.0', MACHINE, {}],
    ['a tool', 'curl/8.5.0', MACHINE, {}],
    ['a browser without a window', `${SAFARI} HeadlessChrome/120.0`, MACHINE, {}],
  ])('is classified by its client: %s', (_, userAgent, is, more) => {
    expect(mailOpenOf({ userAgent, isHead: false, afterMs: 60_000, ...more })).toBe(is);
  });
});
