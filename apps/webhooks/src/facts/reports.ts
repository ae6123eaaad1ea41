import { EnqueuedKind, EventDetails, MailOpen, ReportKind, type Reports } from '@tidings/events';
import type { PlainReport, Report } from './early-reports.ts';
import type { DetailedReport, DeliveryUnit, ReportDetails } from './enqueued-events.ts';

export const unitOf = ({ account, message, messageId, application, chunk }: DeliveryUnit): DeliveryUnit => ({
  account,
  message,
  messageId,
  application,
  chunk,
});

const plainKinds: Readonly<Record<number, PlainReport['kind']>> = {
  [ReportKind.REPORT_KIND_DELIVERED]: EnqueuedKind.ENQUEUED_KIND_DELIVERED,
  [ReportKind.REPORT_KIND_OPENED]: EnqueuedKind.ENQUEUED_KIND_OPENED,
};

const inboxKinds: Readonly<Record<number, DetailedReport['kind']>> = {
  [ReportKind.REPORT_KIND_INBOX_REACHED]: EnqueuedKind.ENQUEUED_KIND_INBOX_DELIVERED,
  [ReportKind.REPORT_KIND_INBOX_READ]: EnqueuedKind.ENQUEUED_KIND_INBOX_READ,
  [ReportKind.REPORT_KIND_INBOX_OPENED]: EnqueuedKind.ENQUEUED_KIND_INBOX_OPENED,
  [ReportKind.REPORT_KIND_INBOX_DELETED]: EnqueuedKind.ENQUEUED_KIND_INBOX_DELETED,
};

const mailKinds: Readonly<Record<number, DetailedReport['kind']>> = {
  [ReportKind.REPORT_KIND_MAIL_OPENED]: EnqueuedKind.ENQUEUED_KIND_MAIL_OPENED,
  [ReportKind.REPORT_KIND_MAIL_CLICKED]: EnqueuedKind.ENQUEUED_KIND_MAIL_CLICKED,
  [ReportKind.REPORT_KIND_MAIL_UNSUBSCRIBED]: EnqueuedKind.ENQUEUED_KIND_MAIL_UNSUBSCRIBED,
  [ReportKind.REPORT_KIND_MAIL_BOUNCED]: EnqueuedKind.ENQUEUED_KIND_BOUNCED,
  [ReportKind.REPORT_KIND_MAIL_COMPLAINED]: EnqueuedKind.ENQUEUED_KIND_MAIL_COMPLAINED,
};

export function reportsIn(reports: Reports): Report[] {
  const { kind, positions, platforms, at } = reports;
  const plain = plainKinds[kind];
  if (plain === undefined) return mailReportsIn(reports);
  return positions.map((position, i) => ({ kind: plain, position, platform: platforms[i]!, at: at[i]! }));
}

/** An entry is saved whatever becomes of the push (R-J2). */
export function inboxReportsIn({ kind: reported, positions, platforms, at, entry }: Reports): DetailedReport[] {
  const kind = inboxKinds[reported];
  if (kind === undefined || !entry) return [];
  return positions.map((position, i) => ({ kind, position, platform: platforms[i]!, at: at[i]!, entry }));
}

const MACHINES: ReadonlySet<MailOpen> = new Set([MailOpen.MAIL_OPEN_MACHINE_AMPP, MailOpen.MAIL_OPEN_MACHINE]);

function detailsIn({ kind, categories, codes, names, details }: Reports, i: number): ReportDetails {
  switch (kind) {
    case ReportKind.REPORT_KIND_MAIL_BOUNCED: {
      const [category, code, name] = [categories, codes, names].map((column) => column[i] ?? '');
      return { details: EventDetails.fromPartial({ category, code, name }) };
    }
    case ReportKind.REPORT_KIND_MAIL_CLICKED:
      return { details: EventDetails.fromPartial({ text: details[i] }) };
    case ReportKind.REPORT_KIND_MAIL_UNSUBSCRIBED:
      return { details: EventDetails.fromPartial({ category: details[i] }) };
    default:
      return {};
  }
}

/** A click implies an open (R-E17). */
function mailReportsIn(reports: Reports): DetailedReport[] {
  const { kind: reported, positions, platforms, at, opens } = reports;
  const kind = mailKinds[reported];
  if (kind === undefined) return [];
  return positions.flatMap((position, i): DetailedReport[] => {
    if (reported === ReportKind.REPORT_KIND_MAIL_OPENED && MACHINES.has(opens[i]!)) return [];
    const device = { position, platform: platforms[i]!, at: at[i]! };
    const report = { ...device, kind, ...detailsIn(reports, i) };
    return reported === ReportKind.REPORT_KIND_MAIL_CLICKED
      ? [{ ...device, kind: EnqueuedKind.ENQUEUED_KIND_MAIL_OPENED }, report]
      : [report];
  });
}
