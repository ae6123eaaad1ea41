import { EnqueuedKind } from '@tidings/events';
import {
  columnsOf,
  type DeliveryChange,
  type DetailedReport,
  groupOf,
  identityOf,
  type DeliveryUnit,
  type ReportedDevice,
} from './enqueued-events.ts';

const { ENQUEUED_KIND_DELIVERED: DELIVERED, ENQUEUED_KIND_OPENED: OPENED } = EnqueuedKind;

export interface PlainReport extends ReportedDevice {
  readonly kind: typeof DELIVERED | typeof OPENED;
}

export type Report = PlainReport | DetailedReport;

export type PendingReport = Report & {
  /** Enqueued then even without a Sent. */
  readonly until: number;
};

export const isPlain = <Some extends Report>(report: Some): report is Some & PlainReport =>
  report.kind === DELIVERED || report.kind === OPENED;

export const isDetailed = <Some extends Report>(report: Some): report is Some & DetailedReport => !isPlain(report);

const keyOf = (report: Report): string =>
  report.kind === EnqueuedKind.ENQUEUED_KIND_MAIL_CLICKED
    ? `${report.position}/${groupOf(report)}`
    : `${report.position}/${report.kind}`;

/** A click names its URL; further reports do not wait. */
export const MAX_DETAILED_BYTES = 512 * 1024;

export const PENDING_BYTES = 20;

const bytesOf = (report: DetailedReport): number => {
  const { category = '', code = '', name = '', text = '' } = report.details ?? {};
  return PENDING_BYTES + Buffer.byteLength(category + code + name + text) + 16;
};

export function admit(
  pending: readonly PendingReport[],
  reports: readonly Report[],
): { readonly waiting: readonly Report[]; readonly others: readonly Report[] } {
  const pendingKeys = new Set(pending.map(keyOf));
  let bytes = pending.filter(isDetailed).reduce((sum, report) => sum + bytesOf(report), 0);
  const waiting: Report[] = [];
  const others: Report[] = [];
  for (const report of reports) {
    const key = keyOf(report);
    if (pendingKeys.has(key) || (report.kind === DELIVERED && pendingKeys.has(`${report.position}/${OPENED}`)))
      continue;
    if (isDetailed(report)) {
      if (bytes + bytesOf(report) > MAX_DETAILED_BYTES) {
        others.push(report);
        continue;
      }
      bytes += bytesOf(report);
    }
    pendingKeys.add(key);
    waiting.push(report);
  }
  return { waiting, others };
}

export function holdReports(unit: DeliveryUnit, reports: readonly Report[], until: Date): DeliveryChange[] {
  const columnOf = (report: Report): string =>
    `${report.platform}/${isDetailed(report) ? groupOf(report) : report.kind}`;
  return [...Map.groupBy(reports, columnOf).values()].map((alike) => {
    const [first] = alike as [Report];
    const { kind, platform } = first;
    const times = new Map(alike.map(({ position, at }) => [position, at]));
    const details = isDetailed(first) ? first.details : undefined;
    return { $case: 'pending', value: { ...identityOf(unit), kind, platform, ...columnsOf(times), until, details } };
  });
}
