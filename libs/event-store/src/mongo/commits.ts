import { isTransientAnswer, UnknownOutcome } from '@tidings/mongo';
import { type Collection, type Db, type FindCursor, MongoServerError } from 'mongodb';
import type { DocumentAddress } from '../event-log-port.ts';
import type { EventDocuments, Head, InsertOutcome, StoredCommit } from '../log-store.ts';
import { withTimeout, ATTEMPT_MS, isDuplicateId, type WriteError } from './with-timeout.ts';
import { batchesOf } from './batches.ts';

export const DURABLE = { w: 'majority', j: true, wtimeout: ATTEMPT_MS } as const;

export interface CommitDocument {
  readonly _id: { readonly log: string; readonly position: number };
  readonly uid: string;
  readonly at: Date;
  readonly events: readonly Uint8Array[];
  readonly documents?: readonly { readonly event: number; readonly ids: readonly string[] }[];
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly trace?: Readonly<Record<string, string>>;
}

export interface HeadDocument {
  readonly _id: string;
  readonly applied: number;
  readonly published: number;
}

const READ = { promoteBuffers: true, promoteLongs: true } as const;

export class MongoCommits {
  readonly #db: Db;
  readonly #commits: Collection<CommitDocument>;
  readonly #heads: Collection<HeadDocument>;
  readonly #meta: CommitDocument['meta'];

  constructor(db: Db, category: string, meta?: CommitDocument['meta']) {
    this.#db = db;
    this.#commits = db.collection(`${category}.commits`);
    this.#heads = db.collection(`${category}.heads`);
    this.#meta = meta;
  }

  async insert(commits: readonly StoredCommit[]): Promise<readonly InsertOutcome[]> {
    const outcomes = await Promise.all(batchesOf(commits, bytesOf).map((batch) => this.#insertBatch(batch)));
    return outcomes.flat();
  }

  async heads(logs: readonly string[]): Promise<ReadonlyMap<string, HeadDocument>> {
    const read = async (): Promise<Map<string, HeadDocument>> => {
      const found = await withTimeout(this.#heads.find({ _id: { $in: [...logs] } }, READ).toArray());
      return new Map(found.map((head) => [head._id, head]));
    };
    const heads = await read();
    const missing = logs.filter((log) => !heads.has(log));
    if (missing.length === 0) return heads;
    const documents = missing.map((log): HeadDocument => ({ _id: log, applied: 0, published: 0 }));
    await this.#insertOrKeep(this.#heads.collectionName, documents);
    return read();
  }

  async headsAfter(log: string, limit: number): Promise<readonly HeadDocument[]> {
    const later = this.#heads.find({ _id: { $gt: log } }, { ...READ, batchSize: limit, limit });
    return withTimeout(later.sort({ _id: 1 }).toArray());
  }

  async raise(field: 'applied' | 'published', heads: ReadonlyMap<string, number>): Promise<void> {
    const updates = [...heads].map(([log, position]) => ({ q: { _id: log }, u: { $max: { [field]: position } } }));
    for (const batch of batchesOf(updates, () => 256)) {
      await withTimeout(this.#db.command({ update: this.#heads.collectionName, updates: batch, ordered: false }));
    }
  }

  async ahead(heads: readonly Head[]): Promise<ReadonlySet<string>> {
    if (heads.length === 0) return new Set();
    const next = heads.map(({ log, applied }) => ({ log, position: applied + 1 }));
    const found = this.#commits.find({ _id: { $in: next } }, { ...READ, projection: { _id: 1 }, batchSize: 10_000 });
    return new Set((await withTimeout(found.toArray())).map(({ _id }) => _id.log));
  }

  /** Majority reads: an election may roll others back. */
  async after(log: string, position: number, limit: number, maxBytes = Infinity): Promise<readonly StoredCommit[]> {
    const range = { _id: { $gt: { log, position }, $lt: { log, position: Infinity } } };
    const found = this.#commits.find(range, { ...READ, readConcern: 'majority', limit, batchSize: limit });
    const documents = await firstOf(found.sort({ _id: 1 }), maxBytes);
    return documents.map(({ _id, uid, at, events, documents: named, trace }) => ({
      ..._id,
      uid,
      at,
      events,
      ...(named && { documents: named.map(({ event, ids }) => ({ index: event, addresses: ids.map(addressIn) })) }),
      ...(trace && { trace }),
    }));
  }

  async #insertBatch(batch: readonly StoredCommit[]): Promise<readonly InsertOutcome[]> {
    let errors: readonly WriteError[];
    try {
      const documents = batch.map((commit) => this.#documentOf(commit));
      errors = await this.#insertMany(this.#commits.collectionName, documents);
    } catch (error) {
      if (error instanceof UnknownOutcome) return batch.map(() => ({ kind: 'unknown' }));
      if (batch.length === 1) return [await this.#refusedOrIn(batch[0]!, error)];
      const half = Math.ceil(batch.length / 2);
      return [...(await this.#insertBatch(batch.slice(0, half))), ...(await this.#insertBatch(batch.slice(half)))];
    }
    const outcomes = batch.map(({ uid }): InsertOutcome => ({ kind: 'held', uid }));
    for (const error of errors) {
      const transient = isDuplicateId(error) || isTransientAnswer(error);
      outcomes[error.index] = transient ? { kind: 'unknown' } : { kind: 'refused', error: new MongoServerError(error) };
    }
    const duplicates = errors.filter(isDuplicateId).map(({ index }) => index);
    if (duplicates.length > 0) await this.#learnHolders(batch, duplicates, outcomes);
    return outcomes;
  }

  async #learnHolders(
    batch: readonly StoredCommit[],
    duplicates: readonly number[],
    outcomes: InsertOutcome[],
  ): Promise<void> {
    try {
      const uids = await this.#uids(duplicates.map((index) => batch[index]!));
      for (const index of duplicates) {
        const uid = uids.get(batch[index]!.log);
        if (uid !== undefined) outcomes[index] = { kind: 'held', uid };
      }
    } catch {
      // They stay unknown, and are inserted and refused once more.
    }
  }

  /** Also rejects without the write concern: the writes may not last. */
  async #insertMany(collection: string, documents: readonly object[]): Promise<readonly WriteError[]> {
    const command = { insert: collection, documents, ordered: false, writeConcern: DURABLE };
    const answer = await withTimeout(this.#db.command(command, { ignoreUndefined: true }));
    return (answer['writeErrors'] ?? []) as WriteError[];
  }

  /** A `local` uid may be rolled back. */
  async #uids(
    commits: readonly StoredCommit[],
    readConcern: 'majority' | 'local' = 'majority',
  ): Promise<ReadonlyMap<string, string>> {
    const ids = commits.map(({ log, position }) => ({ log, position }));
    const options = { ...READ, readConcern, projection: { uid: 1 }, batchSize: 10_000 };
    const found = this.#commits.find({ _id: { $in: ids } }, options);
    return new Map((await withTimeout(found.toArray())).map(({ _id, uid }) => [_id.log, uid]));
  }

  /** Something may have been sent: a refusal counts only if the commit is not stored. */
  async #refusedOrIn(commit: StoredCommit, error: unknown): Promise<InsertOutcome> {
    try {
      if (!(await this.#uids([commit], 'local')).has(commit.log)) return { kind: 'refused', error };
      const uid = (await this.#uids([commit])).get(commit.log);
      return uid === undefined ? { kind: 'unknown' } : { kind: 'held', uid };
    } catch {
      return { kind: 'unknown' };
    }
  }

  async #insertOrKeep(collection: string, documents: readonly object[]): Promise<void> {
    const error = (await this.#insertMany(collection, documents)).find((one) => !isDuplicateId(one));
    if (error) throw isTransientAnswer(error) ? new UnknownOutcome(error.errmsg) : new MongoServerError(error);
  }

  #documentOf({ log, position, uid, at, events, documents, trace }: StoredCommit): CommitDocument {
    return {
      _id: { log, position },
      uid,
      at,
      events,
      ...(documents && { documents: documents.map(storedDocuments) }),
      ...(this.#meta && { meta: this.#meta }),
      ...(trace && { trace }),
    };
  }
}

/** Each batch has its own time limit. */
async function firstOf(cursor: FindCursor<CommitDocument>, maxBytes: number): Promise<readonly CommitDocument[]> {
  const documents: CommitDocument[] = [];
  let pending: Promise<boolean> = Promise.resolve(true);
  const hasNext = (): Promise<boolean> => withTimeout((pending = cursor.hasNext()));
  try {
    for (let bytes = 0; bytes < maxBytes && (await hasNext());) {
      for (const document of cursor.readBufferedDocuments()) {
        documents.push(document);
        bytes += bytesOf(document);
      }
    }
    return documents;
  } finally {
    // Otherwise the server's cursor would stay open.
    if (!cursor.closed) pending.then(() => cursor.close()).catch(() => undefined);
  }
}

const storedDocuments = ({ index, addresses }: EventDocuments): { event: number; ids: string[] } => ({
  event: index,
  ids: addresses.map(({ collection, id }) => `${collection}/${id}`),
});

function addressIn(text: string): DocumentAddress {
  const slash = text.indexOf('/');
  return { collection: text.slice(0, slash), id: text.slice(slash + 1) };
}

export const bytesOf = ({ events }: Pick<StoredCommit, 'events'>): number =>
  events.reduce((sum, event) => sum + event.byteLength + 16, 256);
