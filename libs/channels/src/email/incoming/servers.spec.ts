import { describe, expect, it } from '@jest/globals';
import { bounceOf } from '../bounces.ts';
import { smtpResult } from '../email-results.ts';
import { smtpReplyOf } from '../smtp-reply.ts';
import { incomingMailOf } from './incoming-mail.ts';
import { deliveryReport } from './testing/golden-mails.ts';
import { serverNotices } from './testing/server-notices.ts';
import { serverReplies } from './testing/server-replies.ts';
import { serverReports } from './testing/server-reports.ts';

const replies = Object.entries(serverReplies).flatMap(([server, own]) =>
  own.map(([reply, category]) => [server, reply, `BOUNCED_${category}`] as const),
);

const notices = [...serverReports, ...serverNotices];

const resultOf = async (mail: Buffer): Promise<string> => {
  const incoming = await incomingMailOf(mail);
  return incoming.kind === 'bounced' ? incoming.category : incoming.kind;
};

describe('replies and notices of servers (R-E18)', () => {
  it('are at least 120, of 20 kinds of servers', () => {
    expect(replies.length + notices.length).toBeGreaterThanOrEqual(120);
    expect(new Set([...Object.keys(serverReplies), ...notices.map(({ server }) => server)]).size).toBeGreaterThan(20);
  });

  it.each(replies)('are classified for %s: %s', async (_server, reply, category) => {
    const [code, text] = [Number(reply.slice(0, 3)), reply.slice(4)];
    const { enhanced } = smtpReplyOf(code, text);
    expect(bounceOf(smtpReplyOf(code, text))).toBe(category);
    expect(smtpResult('recipient', code, text)).toMatchObject({ code: String(code), name: enhanced, bounce: category });
    const expected = { kind: 'bounced', category, code: String(code), name: enhanced };
    const fields = ['Action: failed', `Status: ${reply.charAt(0)}.0.0`, `Diagnostic-Code: smtp; ${reply}`];
    expect(await incomingMailOf(deliveryReport({ status: [fields] }))).toMatchObject(expected);
    const notice = `From: MAILER-DAEMON@mx.example.net\r\nSubject: failure\r\n\r\n<u@example.com>:\r\nhost said: ${reply}\r\n`;
    expect(await incomingMailOf(Buffer.from(notice))).toMatchObject(expected);
  });

  it.each(notices.map((each, i) => [each.server, i, each] as const))('are classified: %s %i', async (_, _i, each) => {
    expect(await resultOf(each.mail)).toBe(each.expected);
  });
});
