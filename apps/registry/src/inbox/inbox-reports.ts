import { messageChunkKey, noMailColumns } from '@tidings/delivery';
import { ReportKind, Reports, topicNames } from '@tidings/events';
import { chunkOf, positionOf } from '@tidings/kernel';
import type { EntryState } from '@tidings/messaging';
import type { Broker } from '@tidings/streaming';
import type { Entry, EntryDevice } from './inbox-entries.ts';

export interface EntryReport {
  readonly entry: Entry;
  readonly kind: ReportKind;
  readonly devices: readonly EntryDevice[];
}

/** For every device of the owner that got it (R-H20). */
const ofAll = (kind: ReportKind, entry: Entry): EntryReport => ({ kind, entry, devices: entry.devices });

export const reachedReport = (entry: Entry): EntryReport => ofAll(ReportKind.REPORT_KIND_INBOX_REACHED, entry);

export function reportsOfCall(entry: Entry, after: EntryState, platform: number): EntryReport[] {
  const { state: before, devices } = entry;
  const reports: EntryReport[] = before ? [] : [reachedReport(entry)];
  const isFirst = (kind: 'readAt' | 'openedAt' | 'deletedAt'): boolean => !before?.[kind] && after[kind] !== undefined;
  if (isFirst('readAt')) reports.push(ofAll(ReportKind.REPORT_KIND_INBOX_READ, entry));
  if (isFirst('openedAt')) {
    reports.push(ofAll(ReportKind.REPORT_KIND_INBOX_OPENED, entry));
    // Counted once, whichever of its devices opened it (R-H4).
    const counted = devices.slice(0, 1).map(({ device }) => ({ device, platform }));
    reports.push({ kind: ReportKind.REPORT_KIND_INBOX_ENTRY_OPENED, entry, devices: counted });
  }
  if (isFirst('deletedAt')) reports.push(ofAll(ReportKind.REPORT_KIND_INBOX_DELETED, entry));
  return reports;
}

export async function publishReports(
  broker: Pick<Broker, 'publish'>,
  { account, application }: { readonly account: string; readonly application: string },
  reports: readonly EntryReport[],
  at: number,
): Promise<void> {
  const records = reports.flatMap(({ entry: { message, order, until }, kind, devices }) =>
    [...Map.groupBy(devices, ({ device }) => chunkOf(device.seq))].map(([chunk, own]) => {
      const report: Reports = {
        message: message.code,
        messageId: message.messageId,
        account,
        application,
        chunk,
        kind,
        positions: own.map(({ device }) => positionOf(device.seq)),
        platforms: own.map(({ platform }) => platform),
        at: own.map(() => Math.floor(at / 1000)),
        entry: { order, removal: BigInt(Math.floor(until / 1000)) },
        ...noMailColumns,
      };
      return { key: messageChunkKey(report), value: Reports.encode(report).finish() };
    }),
  );
  if (records.length > 0) await broker.publish(topicNames.reports, records);
}
