import { createSecretKey } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { mailTokenKeyOf, mailTokens, returnPathOf } from '@tidings/channels';
import { ReportKind, Reports } from '@tidings/events';
import { Fault, seqOf, TEST_CHUNK } from '@tidings/kernel';
import { ApplicationView, FindMessageReply } from '@tidings/rpc';
import type { OutRecord } from '@tidings/streaming';
import { CallerLimits } from '../auth/caller-limits.ts';
import { type Intake, type MailIntake, openMailIntake } from './mail-intake.ts';

const DAY_MS = 86_400_000;
const report = createSecretKey(new Uint8Array(32).fill(1));
const mailing = { message: 'AF0B-EEFE4D5E-E445B2E9', application: 'AAAAA-00000', sentAt: 9 };
const messageId = 0n;
const SEQ = seqOf(2, 5);
const tokenFor = (fields: Partial<typeof mailing> = {}, seq = SEQ): string =>
  mailTokens(mailTokenKeyOf(report), { ...mailing, messageId, ...fields })(seq);
const addressFor = (token = tokenFor()): string => returnPathOf(token, 'bounces.example');

const bounce = Buffer.from('Content-Type: message/delivery-status\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n');
const complaintAbout = (token: string): Buffer =>
  Buffer.from(
    [
      ...['Content-Type: multipart/report; boundary=b', '', '--b', 'Content-Type: message/feedback-report', ''],
      ...['Feedback-Type: abuse', `Original-Mail-From: ${addressFor(token)}`, '--b--'],
    ].join('\r\n'),
  );
const letter = Buffer.from('From: anna@example.com\r\n\r\nHello');

describe('incoming mail', () => {
  let published: Reports[];
  let intake: MailIntake;
  let now: number;
  let isKnown: boolean;
  let isMessageKept: boolean;
  let isBrokerDown: boolean;

  beforeEach(() => {
    [published, now, isKnown, isMessageKept, isBrokerDown] = [[], Date.UTC(2020, 0, 2), true, true, false];
    intake = openMailIntake({
      domain: 'bounces.example',
      access: {
        anonymousAccess: async (code) =>
          isKnown
            ? { kind: 'granted', application: ApplicationView.fromPartial({ code, account: 'C' }) }
            : { kind: 'unknown' },
      },
      messages: {
        find: async () => FindMessageReply.fromPartial(isMessageKept ? { message: { id: messageId } } : {}),
      },
      broker: {
        publish: async (_topic: string, records: readonly OutRecord[]) => {
          if (isBrokerDown) throw Fault.unavailable('down');
          published.push(...records.map(({ value }) => Reports.decode(value)));
          return records.map((_, offset) => ({ partition: 0, offset }));
        },
      },
      identity: () => ({ report }),
      clock: { now: () => now },
      recipientLimits: new CallerLimits({ now: () => now }, { burst: 5, perMinute: 60 }),
    });
  });

  const take = (addresses: readonly string[], bytes: Buffer): Promise<Intake> =>
    intake.take(
      addresses.map((address) => intake.recipientOf(address)!),
      bytes,
    );

  it('is reported within the limit of its recipient, and accepted beyond it', async () => {
    const kinds: Intake[] = [];
    for (let i = 0; i < 7; i++) kinds.push(await take([addressFor()], bounce));
    expect(kinds).toEqual([...Array.from({ length: 5 }, () => 'bounced'), 'excess', 'excess']);
    expect(published).toHaveLength(5);
    now += 60_000;
    expect(await take([addressFor()], bounce)).toBe('bounced');
  });

  it('is accepted for return paths and two addresses of the domain, in any case, and for no others', () => {
    const recipient = { is: 'returnPath', mail: { ...mailing, messageId, seq: SEQ } };
    for (const address of [addressFor(), addressFor().toUpperCase()])
      expect(intake.recipientOf(address)).toEqual(recipient);
    for (const address of ['complaints@bounces.example', 'Postmaster@BOUNCES.example', 'Postmaster'])
      expect(intake.recipientOf(address)).toEqual({ is: 'feedback' });
    const forged = `b-${tokenFor().replace(/^./, (digit) => (digit === 'a' ? 'b' : 'a'))}@bounces.example`;
    for (const address of [forged, addressFor().replace('bounces', 'shop'), 'anna@bounces.example', 'complaints', ''])
      expect(intake.recipientOf(address)).toBeUndefined();
  });

  it('reports the mail of each return path if it is a bounce', async () => {
    expect(await take([addressFor(), addressFor(tokenFor({}, SEQ + 1)), 'complaints@bounces.example'], bounce)).toBe(
      'bounced',
    );
    const common = { message: mailing.message, account: 'C', application: mailing.application, chunk: 2, sentAt: [9] };
    const failure = { categories: ['BOUNCED_HARD_GENERAL'], codes: ['0'], names: ['5.1.1'] };
    expect(published).toMatchObject([
      { ...common, ...failure, kind: ReportKind.REPORT_KIND_MAIL_BOUNCED, positions: [5] },
      { ...common, ...failure, kind: ReportKind.REPORT_KIND_MAIL_BOUNCED, positions: [6] },
    ]);
  });

  it('reports the mail that it names, else that of its return path, if it is a complaint', async () => {
    const other = tokenFor({}, SEQ + 1);
    expect(await take(['complaints@bounces.example'], complaintAbout(other))).toBe('complained');
    expect(await take([addressFor()], complaintAbout(other))).toBe('complained');
    expect(await take([addressFor()], complaintAbout('a'.repeat(other.length)))).toBe('complained');
    expect(await take(['complaints@bounces.example'], complaintAbout('a'.repeat(other.length)))).toBe('unassigned');
    expect(published.map(({ kind, positions }) => [kind, ...positions])).toEqual(
      [6, 6, 5].map((position) => [ReportKind.REPORT_KIND_MAIL_COMPLAINED, position]),
    );
  });

  it('has no effect if it is a letter, and is refused at an address for feedback', async () => {
    expect(await take([addressFor()], letter)).toBe('other');
    expect(await take(['postmaster@bounces.example'], letter)).toBe('misdirected');
    expect(await take(['postmaster@bounces.example'], bounce)).toBe('misdirected');
    expect(published).toEqual([]);
  });

  it('has no effect if its message or its application no longer exists', async () => {
    expect(await take([addressFor(tokenFor({}, seqOf(TEST_CHUNK, 0)))], bounce)).toBe('unassigned');
    now += 8 * DAY_MS;
    expect(await take([addressFor()], bounce)).toBe('bounced');
    isMessageKept = false;
    expect(await take([addressFor()], bounce)).toBe('unassigned');
    isKnown = false;
    expect(await take([addressFor()], bounce)).toBe('unassigned');
    expect(published).toHaveLength(1);
  });

  it('is deferred while its report cannot be published', async () => {
    isBrokerDown = true;
    await expect(take([addressFor()], bounce)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(intake.open()).toBe(0);
  });
});
