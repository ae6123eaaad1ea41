import { canonicalContact, deviceLogOf, hwidHashOf } from '@tidings/audience';
import { JobKind, type JobPartProcessed } from '@tidings/events';
import type { Job } from '@tidings/jobs';
import { Fault } from '@tidings/kernel';
import {
  type BatchEntry,
  type Devices,
  type EntryOutcome,
  EntryStatus,
  JobEntry,
  Register,
  type Tags,
} from '@tidings/rpc';
import type { KeyObject } from 'node:crypto';
import { addMissingTags, type RefusedTags, withReason } from './missing-tags.ts';
import type { JobPart, JobParts, EntryDevices, Resolution } from './job-parts.ts';
import { countsOf, type Row, rowsOf } from './rows.ts';

export interface ProcessDeps {
  readonly parts: JobParts;
  readonly tags: Pick<Tags, 'addMissingTags' | 'listTags'>;
  readonly devices: Pick<Devices, 'applyBatch' | 'resolve'>;
  readonly replicaOf: (log: string) => string;
  readonly deviceKey: KeyObject;
}

const CALL_ROWS = 1024;
const CALL_BYTES = 32 * 1024 * 1024;

/** Devices and outcomes share a document with their entries. */
const PIECE_ROWS = 32_768;
const PIECE_BYTES = 4 * 1024 * 1024;
const ENTRY_BYTES = 16 * 1024 * 1024;
/** Other jobs wait meanwhile. */
const PIECES_MS = 10_000;
const TOO_MANY = 'user_id has too many devices';

const unchanged = Register.create();

function commandOf({ kind }: Job['accepted'], entry: JobEntry): NonNullable<BatchEntry['command']> {
  switch (kind) {
    case JobKind.JOB_KIND_SET_TAGS:
      return { $case: 'setTags', value: { tags: entry.tags } };
    case JobKind.JOB_KIND_REGISTER: {
      const { platform, newPushToken: pushToken, tags, country, city } = entry;
      const details = entry.details ?? unchanged;
      return { $case: 'register', value: { ...details, platform, pushToken, tags, country, city } };
    }
    case JobKind.JOB_KIND_UNREGISTER:
      return { $case: 'unregister', value: {} };
    case JobKind.JOB_KIND_EXPORT:
    case JobKind.JOB_KIND_UNSPECIFIED:
      throw Fault.bug('a job without entries');
  }
}

type Identifier = NonNullable<JobEntry['identifier']>;

const unresolvedIdentifiers = (
  entries: readonly JobEntry[],
): { readonly index: number; readonly identifier: Identifier }[] =>
  entries.flatMap(({ identifier }, index) =>
    identifier && (identifier.$case !== 'hwid' || canonicalContact(identifier.value) !== undefined)
      ? [{ index, identifier }]
      : [],
  );

function countFitting(entries: readonly JobEntry[], resolved: EntryDevices): number {
  const counted = new Set<readonly string[]>();
  let [rows, names, repeated] = [0, 0, 0];
  for (const [index, entry] of entries.entries()) {
    const devices = resolved.get(index) ?? [];
    rows += Math.max(1, devices.length);
    if (!counted.has(devices)) names += devices.reduce((sum, name) => sum + Buffer.byteLength(name), 0);
    counted.add(devices);
    if (devices.length > 1) repeated += (devices.length - 1) * JobEntry.encode(entry).finish().length;
    if (rows > PIECE_ROWS || names > PIECE_BYTES || repeated > (index > 0 ? PIECE_BYTES : ENTRY_BYTES)) return index;
  }
  return entries.length;
}

const tooManyRows = ({ tags = {} }: JobEntry): EntryOutcome => ({
  number: 0,
  status: EntryStatus.ENTRY_STATUS_FAILED,
  refusedTags: Object.fromEntries(Object.keys(tags).map((name) => [name, TOO_MANY])),
});

const sumOf = (a: JobPartProcessed, b: JobPartProcessed): JobPartProcessed => ({
  part: a.part,
  entries: a.entries + b.entries,
  done: a.done + b.done,
  notFound: a.notFound + b.notFound,
  failed: a.failed + b.failed,
});

interface Numbered {
  readonly number: number;
  readonly row: Row & { readonly hwid: string };
}

/** Idempotent: the registry knows each batch by its key. A cut part may take several attempts. */
export function partProcessor(deps: ProcessDeps): (job: Job, mayGoOn?: () => boolean) => Promise<JobPartProcessed> {
  const { parts, tags, devices, replicaOf, deviceKey } = deps;

  /** First for all parts: results must not depend on part boundaries. */
  const addTags = async ({ id, account, accepted }: Job, part: JobPart): Promise<RefusedTags | undefined> => {
    if (!accepted.createMissingTags || part.outcomes) return undefined;
    const refused = await addMissingTags(tags, account, part.entries);
    if (part.number === 0) {
      for await (const { number, entries } of parts.all(id, accepted.parts)) {
        if (number > 0) await addMissingTags(tags, account, entries);
      }
    }
    return refused;
  };

  const resolveDevices = async ({ account, accepted }: Job, entries: readonly JobEntry[]): Promise<EntryDevices> => {
    const unresolved = unresolvedIdentifiers(entries);
    const named = (kind: Identifier['$case']) => unresolved.filter(({ identifier: { $case } }) => $case === kind);
    const [users, tokens, spelled] = [named('userId'), named('pushToken'), named('hwid')];
    const userIds = [...new Set(users.map(({ identifier: { value } }) => value))];
    const { byUserId, byPushToken, hwids } = await devices.resolve({
      account,
      application: accepted.application,
      userIds,
      pushTokens: tokens.map(({ identifier: { value } }) => value),
      hwids: spelled.map(({ identifier: { value } }) => value),
    });
    const ofUser = new Map(userIds.map((id, i) => [id, byUserId[i]!.names]));
    return new Map<number, readonly string[]>([
      ...users.map(({ index, identifier: { value } }) => [index, ofUser.get(value)!] as const),
      ...tokens.map(({ index }, i) => [index, byPushToken[i]!.names] as const),
      ...spelled.map(({ index, identifier: { value } }, i) => [index, [hwids[i] ?? value]] as const),
    ]);
  };

  const resolutionOf = async (job: Job, entries: readonly JobEntry[]): Promise<Resolution> => {
    for (let count = entries.length; count > 0; count = Math.floor(count / 2)) {
      const firstEntries = entries.slice(0, count);
      try {
        const resolvedDevices = await resolveDevices(job, firstEntries);
        const fittingCount = countFitting(firstEntries, resolvedDevices);
        if (fittingCount === 0) break;
        return {
          entries: fittingCount,
          hwids: new Map([...resolvedDevices].filter(([index]) => index < fittingCount)),
        };
      } catch (error) {
        if (!(error instanceof Fault) || error.kind !== 'tooLarge') throw error;
      }
    }
    return { entries: 1, hwids: new Map([[0, []]]), outcomes: [tooManyRows(entries[0]!)] };
  };

  const resolved = async (job: Job, part: JobPart): Promise<JobPart> => {
    const needsNoResolution =
      job.accepted.kind === JobKind.JOB_KIND_REGISTER || unresolvedIdentifiers(part.entries).length === 0;
    if (part.hwids || needsNoResolution) return part;
    return parts.resolve(job.id, part, await resolutionOf(job, part.entries));
  };

  /** In order, so that their key identifies them. */
  const apply = async (job: Job, key: string, rows: readonly Numbered[]): Promise<EntryOutcome[]> => {
    const { account, accepted } = job;
    const byLog = Map.groupBy(rows, ({ row }) => deviceLogOf(hwidHashOf(deviceKey, account, row.hwid)));
    const byReplica = Map.groupBy(byLog, ([log]) => replicaOf(log));
    const replies = await Promise.all(
      [...byReplica.values()].map((logs) =>
        devices.applyBatch({
          account,
          application: accepted.application,
          key,
          entries: logs
            .flatMap(([, of]) => of)
            .map(({ number, row: { entry, hwid } }) => {
              const { listOperator } = entry;
              return { number, hwid, listOperator, command: commandOf(accepted, entry) };
            }),
        }),
      ),
    );
    return replies.flatMap(({ outcomes }) => outcomes);
  };

  const applyAll = async (job: Job, { number, entryBytes }: JobPart, rows: readonly Row[]): Promise<EntryOutcome[]> => {
    const found = rows.flatMap((row, i): Numbered[] =>
      row.hwid === undefined ? [] : [{ number: i, row: { ...row, hwid: row.hwid } }],
    );
    const outcomes: EntryOutcome[] = [];
    const callRows = Math.min(CALL_ROWS, Math.floor(CALL_BYTES / entryBytes));
    for (let from = 0; from < found.length; from += callRows) {
      const applied = await apply(job, `${job.id}/${number}.${from}`, found.slice(from, from + callRows));
      for (const outcome of applied) outcomes.push(outcome);
    }
    return outcomes;
  };

  const processPiece = async (job: Job, stored: JobPart): Promise<{ part: JobPart; counts: JobPartProcessed }> => {
    const refused = await addTags(job, stored);
    const part = await resolved(job, stored);
    const rows = rowsOf(part);
    const applied = part.outcomes ?? (await applyAll(job, part, rows));
    const outcomes = refused ? withReason(applied, refused) : applied;
    if (!part.outcomes) await parts.finish(job.id, part.number, outcomes);
    return { part, counts: countsOf(part, rows, outcomes) };
  };

  return async (job, mayGoOn = () => true) => {
    const startedAt = performance.now();
    const stored = await parts.find(job.id, job.parts);
    if (!stored) throw Fault.bug(`part ${job.parts} of job ${job.id} is missing`);
    let { part, counts } = await processPiece(job, stored);
    while (part.isCut) {
      const isOver = performance.now() - startedAt > PIECES_MS;
      if (isOver || !mayGoOn()) throw Fault.unavailable('the next piece has its turn later');
      const next = await processPiece(job, await parts.next(job.id, part.number));
      [part, counts] = [next.part, sumOf(counts, next.counts)];
    }
    return counts;
  };
}
