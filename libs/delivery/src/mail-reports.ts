import { type MailOpen, ReportKind, Reports } from '@tidings/events';
import { chunkOf, Platform, positionOf } from '@tidings/kernel';
import { messageChunkKey } from './protocol/record-keys.ts';

const none: never[] = [];

export const noMailColumns = { opens: none, categories: none, codes: none, names: none, details: none, sentAt: none };

export interface MailRecipient {
  readonly message: string;
  readonly messageId: bigint;
  readonly account: string;
  readonly application: string;
  readonly seq: number;
}

export type MailReport =
  | {
      readonly kind: 'opened';
      readonly open: Exclude<MailOpen, MailOpen.MAIL_OPEN_UNSPECIFIED>;
    }
  | { readonly kind: 'clicked'; readonly url: string }
  | { readonly kind: 'unsubscribed'; readonly category: string }
  | {
      readonly kind: 'bounced';
      readonly category: string;
      readonly code: string;
      readonly name: string;
      readonly sentAt: number;
    }
  | { readonly kind: 'complained'; readonly sentAt: number };

type Columns = Pick<Reports, 'kind'> & Partial<Reports>;

function columnsOf(report: MailReport): Columns {
  switch (report.kind) {
    case 'opened':
      return { kind: ReportKind.REPORT_KIND_MAIL_OPENED, opens: [report.open] };
    case 'clicked':
      return { kind: ReportKind.REPORT_KIND_MAIL_CLICKED, details: [report.url] };
    case 'unsubscribed':
      return { kind: ReportKind.REPORT_KIND_MAIL_UNSUBSCRIBED, details: [report.category] };
    case 'bounced': {
      const { category, code, name, sentAt } = report;
      const columns = { categories: [category], codes: [code], names: [name], sentAt: [sentAt] };
      return { kind: ReportKind.REPORT_KIND_MAIL_BOUNCED, ...columns };
    }
    case 'complained':
      return { kind: ReportKind.REPORT_KIND_MAIL_COMPLAINED, sentAt: [report.sentAt] };
  }
}

export function mailReportRecord(
  { message, messageId, account, application, seq }: MailRecipient,
  report: MailReport,
  at: Date | number,
): { readonly key: string; readonly value: Uint8Array } {
  const reports: Reports = {
    message,
    messageId,
    account,
    application,
    chunk: chunkOf(seq),
    ...noMailColumns,
    entry: undefined,
    positions: [positionOf(seq)],
    platforms: [Platform.Email],
    at: [Math.floor(Number(at) / 1000)],
    ...columnsOf(report),
  };
  return { key: messageChunkKey(reports), value: Reports.encode(reports).finish() };
}
