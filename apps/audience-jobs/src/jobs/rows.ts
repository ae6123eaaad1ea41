import type { JobPartProcessed } from '@tidings/events';
import { type EntryOutcome, EntryStatus, type JobEntry, type JobRow } from '@tidings/rpc';
import type { JobPart } from './job-parts.ts';

export interface Row {
  readonly entry: JobEntry;
  readonly hwid: string | undefined;
}

type Entries = Pick<JobPart, 'entries' | 'hwids'>;

const hwidsOf = (entry: JobEntry, index: number, hwids: JobPart['hwids']): readonly string[] =>
  hwids?.get(index) ?? (entry.identifier?.$case === 'hwid' ? [entry.identifier.value] : []);

export function rowsOf({ entries, hwids }: Entries): Row[] {
  return entries.flatMap((entry, index): Row[] => {
    const found = hwidsOf(entry, index, hwids);
    return found.length === 0 ? [{ entry, hwid: undefined }] : found.map((hwid) => ({ entry, hwid }));
  });
}

const OK = 'ok';

const statusOf = ({ hwid }: Row, outcome: EntryOutcome | undefined): EntryStatus =>
  outcome?.status ?? (hwid === undefined ? EntryStatus.ENTRY_STATUS_NOT_FOUND : EntryStatus.ENTRY_STATUS_DONE);

export function countsOf(part: JobPart, rows: readonly Row[], outcomes: readonly EntryOutcome[]): JobPartProcessed {
  const byRow = new Map(outcomes.map((outcome) => [outcome.number, outcome]));
  const counts = { done: 0, notFound: 0, failed: 0 };
  rows.forEach((row, i) => {
    const status = statusOf(row, byRow.get(i));
    if (status === EntryStatus.ENTRY_STATUS_NOT_FOUND) counts.notFound++;
    else if (status === EntryStatus.ENTRY_STATUS_FAILED) counts.failed++;
    else counts.done++;
  });
  return { part: part.number, entries: part.entries.length, ...counts };
}

function tagsOf({ entry }: Row, status: EntryStatus, outcome: EntryOutcome | undefined): Record<string, string> {
  if (status === EntryStatus.ENTRY_STATUS_NOT_FOUND) return {};
  const refused = new Map(Object.entries(outcome?.refusedTags ?? {}));
  const names = Object.keys(entry.tags ?? {});
  // It may have failed before its tags were checked (R-G5).
  const reported = status === EntryStatus.ENTRY_STATUS_FAILED ? names.filter((name) => refused.has(name)) : names;
  return Object.fromEntries(reported.map((name) => [name, refused.get(name) ?? OK]));
}

export function shownRows(part: JobPart): JobRow[] {
  const byRow = new Map(part.outcomes?.map((outcome) => [outcome.number, outcome]));
  return rowsOf(part).map((row, i) => {
    const { identifier } = row.entry;
    const outcome = byRow.get(i);
    const status = statusOf(row, outcome);
    return {
      hwid: row.hwid ?? identifier?.value ?? '',
      userId: identifier?.$case === 'userId' ? identifier.value : '',
      pushToken: identifier?.$case === 'pushToken' ? identifier.value : '',
      status,
      tags: tagsOf(row, status, outcome),
      reason: row.entry.fault ?? outcome?.reason,
    };
  });
}
