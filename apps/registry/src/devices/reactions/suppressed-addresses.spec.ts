import { describe, expect, it } from '@jest/globals';
import { mailReportRecord, type MailReport } from '@tidings/delivery';
import { Reports, SliceOutcome } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { commandsFor, type Holder, refusedIn, reportedIn } from './suppressed-addresses.ts';

const application = 'A';
const SEQ = 65_536 + 7;
const AT = new Date(50_000);
const reports = (report: MailReport): Reports =>
  Reports.decode(
    mailReportRecord({ message: 'M', messageId: 1n, account: 'C', application, seq: SEQ }, report, AT).value,
  );
const bounced = (category: string): MailReport => ({
  kind: 'bounced',
  category,
  code: '550',
  name: '5.1.1',
  sentAt: 9,
});
const holder = (fields: Partial<Holder> = {}): Holder => ({ account: 'C', seq: SEQ, th: 'hash', ta: 8_999, ...fields });

describe('suppressed addresses', () => {
  it('are those of mails that were permanently refused at once', () => {
    const of = (category: string) =>
      refusedIn(
        SliceOutcome.fromPartial({
          application,
          chunk: 1,
          outcome: {
            $case: 'settled',
            value: { claimedAt: new Date(9_000), bounced: [{ category, set: Buffer.from(Bitmap.of([7]).encode()) }] },
          },
        }),
      );
    expect(of('BOUNCED_HARD_GENERAL')).toEqual([{ application, seq: SEQ, action: 'blacklistAddress', readAt: 9_000 }]);
    expect(of('BOUNCED_SOFT_SPAM')).toEqual([]);
    expect(refusedIn(SliceOutcome.fromPartial({ application }))).toEqual([]);
  });

  it('are those of mails that bounced permanently, or were complained about', () => {
    const hard = [{ application, seq: SEQ, action: 'blacklistAddress', readAt: 9_000 }];
    expect(reportedIn(reports(bounced('BOUNCED_HARD_SUPPRESSED')))).toEqual(hard);
    for (const category of ['BOUNCED_SOFT_GENERAL', 'BOUNCED_UNDETERMINED', 'BOUNCED_UNCLASSIFIED'])
      expect(reportedIn(reports(bounced(category)))).toEqual([]);
    const complaint = [{ application, seq: SEQ, action: 'recordComplaint', readAt: 9_000 }];
    expect(reportedIn(reports({ kind: 'complained', sentAt: 9 }))).toEqual(complaint);
    expect(reportedIn(reports({ kind: 'clicked', url: 'https://a.example/' }))).toEqual([]);
  });

  it('do not include those that contacts got after the send began (R-E5)', () => {
    const suppressions = reportedIn(reports(bounced('BOUNCED_HARD_GENERAL')));
    const command = { account: 'C', action: { type: 'blacklistAddress', address: 'hash' }, at: AT };
    expect(commandsFor(suppressions, [holder()], AT)).toEqual([command]);
    expect(commandsFor(suppressions, [holder({ ta: 9_000 })], AT)).toEqual([command]);
    expect(commandsFor(suppressions, [holder({ ta: 9_001 })], AT)).toEqual([]);
    expect(commandsFor(suppressions, [holder({ th: undefined })], AT)).toEqual([]);
    expect(commandsFor(suppressions, [holder({ seq: SEQ + 1 })], AT)).toEqual([]);
    expect(commandsFor(suppressions, [], AT)).toEqual([]);
  });
});
