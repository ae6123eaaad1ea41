import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { BulkEntry } from '@tidings/contract';
import { bytesOf, ExportFormat, type JobAccepted, type JobKind } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import {
  EntryStatus,
  JobEntry,
  type JobRow,
  type Jobs,
  JobStatus,
  type JobView,
  ListOperator,
  Register,
  type StorePartRequest,
} from '@tidings/rpc';
import type { Call, Context } from '../../context.ts';

/** One document of the jobs service, one batch of the registry. */
const PART_ENTRIES = 4096;
const PART_BYTES = 1024 * 1024;
const ENTRY_BYTES = 4 * 1024 * 1024;
const IN_FLIGHT = 4;

const listOperators = {
  set: ListOperator.LIST_OPERATOR_SET,
  append: ListOperator.LIST_OPERATOR_APPEND,
  remove: ListOperator.LIST_OPERATOR_REMOVE,
} as const;

function encoded({ listOperator, platform = 0, newPushToken = '', ...given }: BulkEntry, place: number) {
  const integers = [...(given.integers ?? [])];
  const details = given.details && Register.create(given.details);
  const entry = { ...given, integers, listOperator: listOperators[listOperator], platform, newPushToken, details };
  const bytes = bytesOf(JobEntry, entry);
  if (bytes.length > ENTRY_BYTES) throw Fault.argument(`devices[${place}]: at most 4 MiB`);
  return bytes;
}

export async function* partsOf(entries: Iterable<BulkEntry>): AsyncGenerator<Buffer[], void> {
  let part: Buffer[] = [];
  let bytes = 0;
  let place = 0;
  for (const entry of entries) {
    const one = encoded(entry, place++);
    if (part.length === PART_ENTRIES || (part.length > 0 && bytes + one.length > PART_BYTES)) {
      yield part;
      await turn();
      [part, bytes] = [[], 0];
    }
    part.push(one);
    bytes += one.length;
  }
  if (part.length > 0) yield part;
}

type Stored = Pick<JobAccepted, 'parts' | 'bytes'>;

async function storeAll(
  jobs: Pick<Jobs, 'storePart'>,
  of: Pick<StorePartRequest, 'job' | 'account' | 'application'>,
  entries: Iterable<BulkEntry>,
): Promise<Stored> {
  const parts = partsOf(entries);
  let stored = 0;
  let bytes = 0;
  const lane = async (): Promise<void> => {
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
      bytes += next.value.reduce((sum, { length }) => sum + length, 0);
      await jobs.storePart({ ...of, number: stored++, part: { entries: next.value } });
    }
  };
  try {
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  } finally {
    // Lanes must not continue a job that is never accepted.
    await parts.return();
  }
  return { parts: stored, bytes };
}

export interface JobEntries {
  readonly count: number;
  readonly entries: Iterable<BulkEntry>;
}

/** Resolves when the job is durable. */
export async function startJob(
  kind: JobKind,
  { count, entries }: JobEntries,
  { jobs }: Pick<Context, 'jobs'>,
  { account, application }: Call,
  createMissingTags = false,
): Promise<{ request_id: string; status: 'Pending' }> {
  const job = randomUUID();
  const { code } = application!;
  const stored = await storeAll(jobs, { job, account, application: code }, entries);
  const accepted = {
    kind,
    application: code,
    entries: count,
    ...stored,
    createMissingTags,
    exportFormat: ExportFormat.EXPORT_FORMAT_UNSPECIFIED,
  };
  await jobs.accept({ job, account, accepted });
  return { request_id: job, status: 'Pending' };
}

const statuses = {
  [JobStatus.JOB_STATUS_UNSPECIFIED]: 'Pending',
  [JobStatus.JOB_STATUS_PENDING]: 'Pending',
  [JobStatus.JOB_STATUS_COMPLETED]: 'Completed',
  [JobStatus.JOB_STATUS_FAILED]: 'Failed',
} as const;

const rowStatuses = {
  [EntryStatus.ENTRY_STATUS_UNSPECIFIED]: 'failed',
  [EntryStatus.ENTRY_STATUS_DONE]: 'done',
  [EntryStatus.ENTRY_STATUS_NOT_FOUND]: 'not found',
  [EntryStatus.ENTRY_STATUS_FAILED]: 'failed',
} as const;

export const rowStatusOf = ({ status }: JobRow) => rowStatuses[status];

export interface FoundJob<Row> {
  readonly shown: {
    readonly request_id: string;
    readonly status: 'Completed' | 'Pending' | 'Failed';
    readonly progress: number;
    readonly devices_success: number;
  };
  readonly view: JobView;
  readonly rows: { readonly devices: Row[] } | undefined;
}

export interface JobQuery {
  readonly requestId: string;
  readonly detailed: boolean;
}

export async function findJob<Row>(
  kind: JobKind,
  { requestId, detailed }: JobQuery,
  { jobs }: Pick<Context, 'jobs'>,
  { account }: Call,
  rowOf: (row: JobRow) => Row,
): Promise<FoundJob<Row>> {
  const query = { job: requestId, kind, account };
  const { job } = await jobs.find(query);
  if (!job) throw Fault.notFound('Request not found');
  const devices: Row[] = [];
  if (detailed) for await (const { rows } of jobs.rows(query)) for (const row of rows) devices.push(rowOf(row));
  const { status, progress, done } = job;
  return {
    shown: { request_id: requestId, status: statuses[status], progress, devices_success: done },
    view: job,
    rows: detailed ? { devices } : undefined,
  };
}
