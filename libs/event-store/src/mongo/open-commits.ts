import type { Db } from 'mongodb';
import type { Commit, LogDefinition } from '../event-log-port.ts';
import type { StoredCommit } from '../log-store.ts';
import { withTimeout } from './with-timeout.ts';
import { UnknownEvent } from '../unknown-event.ts';
import { type CommitDocument, MongoCommits } from './commits.ts';

const PAGE = 1000;
const STEP = 500;
const FOREVER = new Date(8.64e15);

export interface CommitReader<Event> {
  /** Stops before an event of a newer version (ADR 27). */
  after(log: string, position: number, limit: number): Promise<readonly Commit<Event>[]>;
  pick(log: string, numbers: readonly number[]): Promise<readonly Commit<Event>[]>;
  /** 0 without a commit. */
  newest(log: string): Promise<number>;
  /** 0 without a commit. */
  newestBefore(log: string, at: Date): Promise<number>;
  /** Keeps commits that the quarantine or the relay still needs. */
  removeBefore(at: Date, signal?: AbortSignal): Promise<void>;
  /** Regardless of age. */
  removeLogs(prefix: string, signal?: AbortSignal): Promise<void>;
}

const justBefore = (prefix: string): string =>
  prefix === '' ? '' : `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) - 1)}\uffff`;

export interface CommitReaderOptions {
  /** @default false */
  readonly isRelayed?: boolean;
  readonly onBlocked?: (error: Error) => void;
}

/** Unanswered calls reject with a transient error. */
export function openCommits<Event>(
  db: Db,
  { category, decode, isKnown }: Pick<LogDefinition<never, Event, never, never>, 'category' | 'decode' | 'isKnown'>,
  { isRelayed = false, onBlocked = () => undefined }: CommitReaderOptions = {},
): CommitReader<Event> {
  const commits = new MongoCommits(db, category);
  const collection = db.collection<CommitDocument>(`${category}.commits`);
  const all = (log: string) => ({ $gt: { log, position: 0 }, $lt: { log, position: Infinity } });
  const read = ({ events: encoded, ...commit }: StoredCommit): Commit<Event> => ({
    ...commit,
    events: encoded.map(decode),
    encoded,
  });

  const reported = new Set<string>();
  const readableIn = (found: readonly Commit<Event>[]): readonly Commit<Event>[] => {
    const unknown = found.findIndex(({ events }) => !events.every(isKnown));
    if (unknown < 0) return found;
    const error = new UnknownEvent(found[unknown]!);
    if (!reported.has(error.message)) onBlocked(error);
    reported.add(error.message);
    return found.slice(0, unknown);
  };

  const newest = async (log: string, also: object): Promise<number> => {
    const options = { sort: { _id: -1 }, projection: { _id: 1 }, readConcern: 'majority' } as const;
    return (await withTimeout(collection.findOne({ _id: all(log), ...also }, options)))?._id.position ?? 0;
  };

  const oldestNeeded = async (): Promise<ReadonlyMap<string, number>> => {
    const quarantine = db.collection<{ log: string; position: number }>(`${category}.quarantine`);
    const unpublished = db.collection<{ _id: { log: string; position: number } }>(`${category}.unpublished`);
    const [states, commits] = await withTimeout(
      Promise.all([quarantine.find().toArray(), unpublished.find().toArray()]),
    );
    const oldest = new Map<string, number>();
    for (const { log, position } of [...states, ...commits.map(({ _id }) => _id)]) {
      oldest.set(log, Math.min(position, oldest.get(log) ?? Infinity));
    }
    return oldest;
  };

  const removeStep = async (log: string, last: number, at: Date): Promise<boolean> => {
    const range = { _id: { ...all(log), $lte: { log, position: last } } };
    const oldest = collection.find(range, { sort: { _id: 1 }, limit: STEP, batchSize: STEP, projection: { at: 1 } });
    const found = await withTimeout(oldest.toArray());
    const young = found.findIndex((commit) => commit.at >= at);
    const old = young < 0 ? found : found.slice(0, young);
    if (old.length === 0) return false;
    await withTimeout(collection.deleteMany({ _id: { $gte: old[0]!._id, $lte: old.at(-1)!._id } }));
    return old.length === STEP;
  };

  const remove = async (prefix: string, before: Date, signal: AbortSignal | undefined): Promise<void> => {
    const needed = await oldestNeeded();
    for (let after = justBefore(prefix); ;) {
      const heads = await commits.headsAfter(after, PAGE);
      for (const { _id: log, applied, published } of heads) {
        if (!log.startsWith(prefix)) return;
        const last = Math.min(applied, isRelayed ? published : Infinity, (needed.get(log) ?? Infinity) - 1);
        while (!signal?.aborted && (await removeStep(log, last, before)));
      }
      if (heads.length < PAGE) return;
      after = heads.at(-1)!._id;
    }
  };

  return {
    after: async (log, position, limit) => readableIn((await commits.after(log, position, limit)).map(read)),
    async pick(log, numbers) {
      const ids = numbers.map((position) => ({ log, position }));
      const found = collection.find({ _id: { $in: ids } }, { promoteBuffers: true, sort: { _id: 1 } });
      return (await withTimeout(found.toArray())).map(({ _id, uid, at, events }) => read({ ..._id, uid, at, events }));
    },
    newest: (log) => newest(log, {}),
    newestBefore: (log, at) => newest(log, { at: { $lt: at } }),
    removeBefore: (at, signal) => remove('', at, signal),
    removeLogs: (prefix, signal) => remove(prefix, FOREVER, signal),
  };
}
