import { messageChunkKey, noMailColumns } from '@tidings/delivery';
import { ReportKind, Reports, topicNames } from '@tidings/events';
import { chunkOf, positionOf } from '@tidings/kernel';
import type { EntryState } from '@tidings/messaging';
import type { Broker } from '@tidings/streaming';
import type { Entry, EntryDevice } from './inbox-entries.ts';

/** Something that a user did with an entry for the first time. */
export interface EntryReport {
  readonly entry: Entry;
  readonly kind: ReportKind;
  /** The devices that it counts for. */
  readonly devices: readonly EntryDevice[];
}

/** An entry counts for every device of its owner that got it (R-H20). */
const ofAll = (kind: ReportKind, entry: Entry): EntryReport => ({ kind, entry, devices: entry.devices });

export const reachedReport = (entry: Entry): EntryReport => ofAll(ReportKind.REPORT_KIND_INBOX_REACHED, entry);

/**
 * The reports of a call that changes the state of an entry.
 * @param platform of the device that calls
 */
export function reportsOfCall(entry: Entry, after: EntryState, platform: number): EntryReport[] {
  const { state: before, devices } = entry;
  const reports: EntryReport[] = before ? [] : [reachedReport(entry)];
  const isFirst = (kind: 'readAt' | 'openedAt' | 'deletedAt'): boolean => !before?.[kind] && after[kind] !== undefined;
  if (isFirst('readAt')) reports.push(ofAll(ReportKind.REPORT_KIND_INBOX_READ, entry));
  if (isFirst('openedAt')) {
    reports.push(ofAll(ReportKind.REPORT_KIND_INBOX_OPENED, entry));
    // The entry is counted once, whichever of its devices opened it (R-H4).
    const counted = devices.slice(0, 1).map(({ device }) => ({ device, platform }));
    reports.push({ kind: ReportKind.REPORT_KIND_INBOX_ENTRY_OPENED, entry, devices: counted });
  }
  if (isFirst('deletedAt')) reports.push(ofAll(ReportKind.REPORT_KIND_INBOX_DELETED, entry));
  return reports;
}

/** Publishes reports, one record for each chunk of a report's devices; resolves when they are durable. */
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
