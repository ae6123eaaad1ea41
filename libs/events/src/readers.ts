import { MessageEvent } from './generated/tidings/events/v1/messages.ts';
import { SliceOutcome } from './generated/tidings/events/v1/outcomes.ts';
import { PlanEvent } from './generated/tidings/events/v1/plans.ts';
import { ReportKind, Reports } from './generated/tidings/events/v1/reports.ts';
import { VisitEvent } from './generated/tidings/events/v1/visits.ts';

export interface FactReader<Fact> {
  decode(payload: Uint8Array): Fact;
  isKnown(fact: Fact): boolean;
}

const reader = <Fact>(
  type: { decode(payload: Uint8Array): Fact },
  isKnown: (fact: Fact) => boolean,
): FactReader<Fact> => ({
  decode: (payload) => type.decode(payload),
  isKnown,
});

const reportKinds: ReadonlySet<ReportKind> = new Set([
  ReportKind.REPORT_KIND_UNSPECIFIED,
  ReportKind.REPORT_KIND_DELIVERED,
  ReportKind.REPORT_KIND_OPENED,
  ReportKind.REPORT_KIND_INBOX_REACHED,
  ReportKind.REPORT_KIND_INBOX_READ,
  ReportKind.REPORT_KIND_INBOX_OPENED,
  ReportKind.REPORT_KIND_INBOX_DELETED,
  ReportKind.REPORT_KIND_INBOX_ENTRY_OPENED,
  ReportKind.REPORT_KIND_MAIL_OPENED,
  ReportKind.REPORT_KIND_MAIL_CLICKED,
  ReportKind.REPORT_KIND_MAIL_UNSUBSCRIBED,
  ReportKind.REPORT_KIND_MAIL_BOUNCED,
  ReportKind.REPORT_KIND_MAIL_COMPLAINED,
]);

/** Consumers skip only known kinds: an unknown one may be relevant (ADR 27). */
export const facts = {
  messages: reader(MessageEvent, ({ event }) => event !== undefined),
  plans: reader(PlanEvent, ({ event }) => event !== undefined),
  outcomes: reader(SliceOutcome, ({ outcome }) => outcome !== undefined),
  reports: reader(Reports, ({ kind }) => reportKinds.has(kind)),
  visits: reader(VisitEvent, ({ event }) => event !== undefined),
} as const;
