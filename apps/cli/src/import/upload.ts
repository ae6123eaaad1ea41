import { setTimeout as delay } from 'node:timers/promises';
import { type ApiClient, type MethodName, type Reply, Refusal, retryDelayMs } from '@tidings/client';
import { Failure } from '../session.ts';
import type { FailedRow } from './failed-rows.ts';
import type { Device, Outcome } from './outcome.ts';
import type { Row } from './row.ts';

const POLL_MS = 100;
const MAX_POLL_MS = 2_000;
const RECONNECT_MS = 1_000;
const MAX_RECONNECT_MS = 15_000;
const AWAY_MS = 5 * 60_000;
const BLACKLISTED_AT_ONCE = 4;

export interface UploadDeps {
  readonly client: ApiClient;
  readonly application: string;
  readonly account: string | undefined;
  readonly adoptByToken?: boolean;
}

export interface Mapped {
  readonly row: Row;
  readonly outcome: Outcome;
}

export interface Uploaded {
  readonly registered: number;
  readonly unsubscribed: number;
  readonly blacklisted: number;
  readonly skipped: number;
  readonly failed: number;
  readonly withoutSomeTags: number;
  readonly failedRows: readonly FailedRow[];
}

type Parameters = Readonly<Record<string, unknown>>;

/** Waits as long as the service says, and while nobody answers. Every call here may be repeated. */
async function replyTo({ client }: UploadDeps, name: MethodName, parameters: Parameters): Promise<Reply> {
  let waitMs = RECONNECT_MS;
  let giveUpAt = performance.now() + AWAY_MS;
  for (;;) {
    try {
      const reply = await client.reply(name, parameters);
      const retryAfter = reply.headers['retry-after'];
      if (retryAfter === undefined || (reply.status !== 429 && reply.status < 500)) return reply;
      // The service is there, and busy for as long as it takes.
      giveUpAt = performance.now() + AWAY_MS;
      await delay(retryDelayMs(retryAfter));
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await delay(waitMs);
      waitMs = Math.min(2 * waitMs, MAX_RECONNECT_MS);
    }
  }
}

interface Registration {
  readonly row: Row;
  readonly device: Device;
  readonly isUnsubscribed: boolean;
}

interface JobRow {
  readonly status: string;
  readonly reason?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

interface Job {
  readonly status: string;
  readonly devices?: readonly JobRow[];
}

interface Result {
  readonly registration: Registration;
  readonly row: JobRow;
}

async function finishedJob(deps: UploadDeps, id: string): Promise<Job> {
  for (let waitMs = POLL_MS; ; waitMs = Math.min(2 * waitMs, MAX_POLL_MS)) {
    await delay(waitMs);
    const reply = await replyTo(deps, 'getBulkRegisterDevice', { request_id: id });
    if (reply.status !== 200) throw new Refusal('getBulkRegisterDevice', reply);
    if ((reply.body as Job).status === 'Pending') continue;
    const detailed = await replyTo(deps, 'getBulkRegisterDevice', { request_id: id, detailed: true });
    if (detailed.status !== 200) throw new Refusal('getBulkRegisterDevice', detailed);
    return detailed.body as Job;
  }
}

const refusedOf = (registrations: readonly Registration[], reason: string): Result[] =>
  registrations.map((registration) => ({ registration, row: { status: 'failed', reason } }));

/** Halves a request that is refused as a whole, so that only the row that causes it fails. */
async function register(deps: UploadDeps, registrations: readonly Registration[]): Promise<Result[]> {
  if (registrations.length === 0) return [];
  const devices = registrations.map(({ device }) => device);
  const reply = await replyTo(deps, 'bulkRegisterDevice', { application: deps.application, devices });
  if (reply.status === 400 || reply.status === 413) {
    const { message } = reply.body as { readonly message?: string };
    if (registrations.length === 1) return refusedOf(registrations, message ?? 'refused');
    const half = Math.ceil(registrations.length / 2);
    const first = await register(deps, registrations.slice(0, half));
    return [...first, ...(await register(deps, registrations.slice(half)))];
  }
  if (reply.status !== 200) throw new Refusal('bulkRegisterDevice', reply);
  const { request_id: id } = reply.body as { readonly request_id: string };
  const { status, devices: rows = [] } = await finishedJob(deps, id);
  if (status === 'Failed' && rows.length < registrations.length)
    throw new Failure(`Job ${id} has failed. The same command resumes the import`);
  return registrations.map((registration, i) => ({ registration, row: rows[i]! }));
}

async function blacklist(deps: UploadDeps, mapped: readonly Mapped[]): Promise<FailedRow[]> {
  const failed: FailedRow[] = [];
  const { account } = deps;
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let each = mapped[next++]; each; each = mapped[next++]) {
      if (each.outcome.kind !== 'blacklist') continue;
      const { address } = each.outcome;
      const reply = await replyTo(deps, 'blacklistAddress', { address, ...(account !== undefined && { account }) });
      if (reply.status === 401 || reply.status === 403) throw new Refusal('blacklistAddress', reply);
      const { error } = reply.body as { readonly error?: { readonly message?: string } };
      if (reply.status !== 200) failed.push({ row: each.row, reason: error?.message ?? 'not blacklisted' });
    }
  };
  await Promise.all(Array.from({ length: BLACKLISTED_AT_ONCE }, lane));
  return failed;
}

const OK = 'ok';

const tagReasons = ({ tags = {} }: JobRow): string[] =>
  Object.entries(tags).flatMap(([name, text]) => (text === OK ? [] : [`${name}: ${text}`]));

function failuresIn(results: readonly Result[]): FailedRow[] {
  return results.flatMap(({ registration: { row }, row: result }): FailedRow[] => {
    if (result.status !== 'done') return [{ row, reason: result.reason ?? 'not registered' }];
    const reasons = tagReasons(result);
    return reasons.length === 0 ? [] : [{ row, reason: `registered without ${reasons.join('; ')}` }];
  });
}

const withAdoption = (device: Device, { adoptByToken }: UploadDeps): Device =>
  adoptByToken && device.push_token !== '' ? { ...device, adopt_by_token: true } : device;

/** One job, and the addresses beside it. Repeating it changes nothing. */
export async function upload(deps: UploadDeps, mapped: readonly Mapped[]): Promise<Uploaded> {
  const registrations = mapped.flatMap(({ row, outcome }): Registration[] =>
    outcome.kind === 'register' || outcome.kind === 'unsubscribe'
      ? [{ row, device: withAdoption(outcome.device, deps), isUnsubscribed: outcome.kind === 'unsubscribe' }]
      : [],
  );
  const skippedRows = mapped.flatMap(({ row, outcome }): FailedRow[] =>
    outcome.kind === 'skip' ? [{ row, reason: outcome.reason }] : [],
  );
  const suppressed = mapped.filter(({ outcome }) => outcome.kind === 'blacklist');
  const [results, refused] = await Promise.all([register(deps, registrations), blacklist(deps, suppressed)]);
  const done = results.filter(({ row }) => row.status === 'done');
  const unsubscribed = done.filter(({ registration }) => registration.isUnsubscribed).length;
  const failures = failuresIn(results);
  const failed = results.length - done.length;
  return {
    registered: done.length - unsubscribed,
    unsubscribed,
    blacklisted: suppressed.length - refused.length,
    skipped: skippedRows.length,
    failed: failed + refused.length,
    withoutSomeTags: failures.length - failed,
    failedRows: [...skippedRows, ...failures, ...refused].toSorted((a, b) => a.row.line - b.row.line),
  };
}
