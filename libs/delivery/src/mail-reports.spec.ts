import { describe, expect, it } from '@jest/globals';
import { facts, MailOpen, ReportKind } from '@tidings/events';
import { mailReportRecord, type MailReport } from './mail-reports.ts';

const recipient = { message: 'M', messageId: 7n, account: 'C', application: 'A', seq: 2 * 65_536 + 5 };

describe('mailReportRecord', () => {
  it.each<[MailReport, kind: ReportKind, columns: object]>([
    [
      { kind: 'opened', open: MailOpen.MAIL_OPEN_UNKNOWN },
      ReportKind.REPORT_KIND_MAIL_OPENED,
      { opens: [MailOpen.MAIL_OPEN_UNKNOWN] },
    ],
    [
      { kind: 'clicked', url: 'https://a.example/' },
      ReportKind.REPORT_KIND_MAIL_CLICKED,
      { details: ['https://a.example/'] },
    ],
    [{ kind: 'unsubscribed', category: 'news' }, ReportKind.REPORT_KIND_MAIL_UNSUBSCRIBED, { details: ['news'] }],
    [
      {
        kind: 'bounced',
        category: 'BOUNCED_HARD_GENERAL',
        code: '550',
        name: '5.1.1',
        sentAt: 9,
      },
      ReportKind.REPORT_KIND_MAIL_BOUNCED,
      {
        categories: ['BOUNCED_HARD_GENERAL'],
        codes: ['550'],
        names: ['5.1.1'],
        sentAt: [9],
      },
    ],
    [{ kind: 'complained', sentAt: 9 }, ReportKind.REPORT_KIND_MAIL_COMPLAINED, { sentAt: [9] }],
  ])('has a known kind, with its columns: %j', (report, kind, columns) => {
    const { key, value } = mailReportRecord(recipient, report, new Date(12_345_999));
    const decoded = facts.reports.decode(value);
    expect(key).toBe('M/A/2');
    expect(decoded).toMatchObject({ kind, chunk: 2, positions: [5], platforms: [14], at: [12_345], ...columns });
    expect(facts.reports.isKnown(decoded)).toBe(true);
  });
});
