import { EnqueuedKind, EventDetails, MailOpen, ReportKind, type Reports } from '@tidings/events';
import type { Report } from './delivery-state.ts';
import type { Place, Said } from './enqueued-events.ts';
import type { ImmediateReport } from './immediate-events.ts';

export const placeOf = ({ account, message, messageId, application, chunk }: Place): Place => ({
  account,
  message,
  messageId,
  application,
  chunk,
});

const kindsOfPushes: Readonly<Record<number, Report['kind']>> = {
  [ReportKind.REPORT_KIND_DELIVERED]: EnqueuedKind.ENQUEUED_KIND_DELIVERED,
  [ReportKind.REPORT_KIND_OPENED]: EnqueuedKind.ENQUEUED_KIND_OPENED,
};

/** The reports in a record of devices. */
export function reportsIn({ kind, positions, platforms, at }: Reports): Report[] {
  const known = kindsOfPushes[kind];
  if (known === undefined) return [];
  return positions.map((position, i) => ({ kind: known, position, platform: platforms[i]!, at: at[i]! }));
}

const immediateKinds: Readonly<Record<number, ImmediateReport['kind']>> = {
  [ReportKind.REPORT_KIND_INBOX_REACHED]: EnqueuedKind.ENQUEUED_KIND_INBOX_DELIVERED,
  [ReportKind.REPORT_KIND_INBOX_READ]: EnqueuedKind.ENQUEUED_KIND_INBOX_READ,
  [ReportKind.REPORT_KIND_INBOX_OPENED]: EnqueuedKind.ENQUEUED_KIND_INBOX_OPENED,
  [ReportKind.REPORT_KIND_INBOX_DELETED]: EnqueuedKind.ENQUEUED_KIND_INBOX_DELETED,
  [ReportKind.REPORT_KIND_MAIL_OPENED]: EnqueuedKind.ENQUEUED_KIND_MAIL_OPENED,
  [ReportKind.REPORT_KIND_MAIL_CLICKED]: EnqueuedKind.ENQUEUED_KIND_MAIL_CLICKED,
  [ReportKind.REPORT_KIND_MAIL_UNSUBSCRIBED]: EnqueuedKind.ENQUEUED_KIND_MAIL_UNSUBSCRIBED,
  [ReportKind.REPORT_KIND_MAIL_BOUNCED]: EnqueuedKind.ENQUEUED_KIND_BOUNCED,
  [ReportKind.REPORT_KIND_MAIL_COMPLAINED]: EnqueuedKind.ENQUEUED_KIND_MAIL_COMPLAINED,
};

const MACHINES: ReadonlySet<MailOpen> = new Set([MailOpen.MAIL_OPEN_MACHINE_AMPP, MailOpen.MAIL_OPEN_MACHINE]);

/** What a record says of an entry in inboxes, or of the i-th e-mail. */
function saidIn({ kind, entry, categories, codes, names, details }: Reports, i: number): Said {
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
      return { entry };
  }
}

/** The reports in a record of inboxes or of e-mails, without opens by machines. A click implies an open (R-E17). */
export function immediateReportsIn(reports: Reports): ImmediateReport[] {
  const { kind: reported, positions, platforms, at, entry, opens } = reports;
  const kind = immediateKinds[reported];
  const isInbox = reported < ReportKind.REPORT_KIND_MAIL_OPENED;
  if (kind === undefined || (isInbox && !entry)) return [];
  return positions.flatMap((position, i): ImmediateReport[] => {
    if (reported === ReportKind.REPORT_KIND_MAIL_OPENED && MACHINES.has(opens[i]!)) return [];
    const device = { position, platform: platforms[i]!, at: at[i]! };
    const report = { ...device, kind, ...saidIn(reports, i) };
    return reported === ReportKind.REPORT_KIND_MAIL_CLICKED
      ? [{ ...device, kind: EnqueuedKind.ENQUEUED_KIND_MAIL_OPENED }, report]
      : [report];
  });
}
