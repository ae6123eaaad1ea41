import { type MailOpen, ReportKind, Reports } from '@tidings/events';
import { chunkOf, Platform, positionOf } from '@tidings/kernel';
import { messageChunkKey } from './protocol/record-keys.ts';

const none: never[] = [];

/** The columns of reports about e-mails, in a report of another kind. */
export const noMailColumns = { opens: none, categories: none, codes: none, names: none, details: none, sentAt: none };

/** A recipient of an e-mail, by its place in the figures. */
export interface MailRecipient {
  readonly message: string;
  readonly messageId: bigint;
  readonly account: string;
  readonly application: string;
  readonly seq: number;
}

/** A report about an e-mail after the receiving side accepted it (R-E16 to R-E18). */
export type MailReport =
  /** A click by a person needs no open of its own: it implies a human one. */
  | {
      readonly kind: 'opened';
      readonly open: Exclude<MailOpen, MailOpen.MAIL_OPEN_UNSPECIFIED>;
    }
  /** A click by a person: clicks of scanners are not reported. */
  | { readonly kind: 'clicked'; readonly url: string }
  /** The category that the recipient left; "" for all. */
  | { readonly kind: 'unsubscribed'; readonly category: string }
  /** A bounce report, which revokes the acceptance, with the code and the enhanced status of the reply that it contains. */
  | {
      readonly kind: 'bounced';
      readonly category: string;
      readonly code: string;
      readonly name: string;
      /** Unix seconds: see {@link Reports.sentAt}. */
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

/** The record on `tidings.reports` of a report about the e-mail to one recipient. @param at when it happened */
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
