import { BSON, type Db, type Document, type Filter, Long, MongoServerError, type UpdateFilter } from 'mongodb';
import { isTransient, isTransientAnswer } from './transient.ts';

export interface Update<Stored extends Document = Document> {
  readonly q: Filter<Stored>;
  readonly u: UpdateFilter<Stored>;
  readonly upsert?: boolean;
  readonly multi?: boolean;
}

export interface RefusedUpdate {
  readonly index: number;
  readonly code: number;
  readonly errmsg: string;
}

export interface UpdateOptions {
  /** @default false */
  readonly ordered?: boolean;
}

export interface UpdateOutcome {
  readonly matched: number;
  readonly refused: readonly RefusedUpdate[];
}

/** A plain command does not inherit this from its connection. */
const DURABLE = { w: 'majority', j: true } as const;
const MAX_STATEMENTS = 1000;
const MAX_BYTES = 8 << 20;
const READ_BATCH = 10_000;

/** Idempotent updates: repeated once after a transient error. @returns the refused statements */
export async function tryUpdates<Stored extends Document>(
  db: Db,
  collection: string,
  updates: readonly Update<Stored>[],
  { ordered = false }: UpdateOptions = {},
): Promise<UpdateOutcome> {
  let matched = 0;
  const refused: RefusedUpdate[] = [];
  for (const [first, statements] of batchesOf(updates)) {
    const command = { update: collection, updates: statements, ordered, writeConcern: DURABLE };
    const answer = await twice(() => written(db, command));
    matched += answer['n'] as number;
    for (const error of refusalsIn(answer)) refused.push({ ...error, index: error.index + first });
    if (ordered && refused.length > 0) break;
  }
  return { matched, refused };
}

/** @throws MongoServerError of the first refused statement */
export async function updateAll<Stored extends Document>(
  db: Db,
  collection: string,
  updates: readonly Update<Stored>[],
  options?: UpdateOptions,
): Promise<number> {
  const { matched, refused } = await tryUpdates(db, collection, updates, options);
  if (refused[0]) throw new MongoServerError({ ...refused[0] });
  return matched;
}

export interface FindOptions {
  readonly projection?: Readonly<Record<string, 0 | 1>>;
  /** @default as `Binary` */
  readonly promoteBuffers?: boolean;
}

/** A driver's cursor costs nearly as much again. */
export async function findAll<Stored extends Document, Found extends Document = Stored>(
  db: Db,
  collection: string,
  filter: Filter<Stored>,
  { projection, promoteBuffers = false }: FindOptions = {},
): Promise<readonly Found[]> {
  const command = { find: collection, filter, ...(projection && { projection }), batchSize: READ_BATCH };
  const answer = await twice(() => db.command(command, { promoteBuffers, ignoreUndefined: true }));
  const { id, firstBatch } = answer['cursor'] as { readonly id: number | Long; readonly firstBatch: Found[] };
  if (id === 0) return firstBatch;
  // A cursor belongs to its session, so everything is read again from the start.
  await db.command({ killCursors: collection, cursors: [Long.fromValue(id)] });
  const rest = { ...(projection && { projection }), promoteBuffers };
  return db.collection<Stored>(collection).find<Found>(filter, rest).toArray();
}

function* batchesOf<Stored extends Document>(
  updates: readonly Update<Stored>[],
): Iterable<readonly [first: number, statements: readonly Update<Stored>[]]> {
  let first = 0;
  let bytes = 0;
  for (const [i, update] of updates.entries()) {
    const size = BSON.calculateObjectSize(update, { ignoreUndefined: true });
    if (i > first && (bytes + size > MAX_BYTES || i - first === MAX_STATEMENTS)) {
      yield [first, updates.slice(first, i)];
      first = i;
      bytes = 0;
    }
    bytes += size;
  }
  if (first < updates.length) yield [first, first === 0 ? updates : updates.slice(first)];
}

const refusalsIn = (answer: Document): readonly RefusedUpdate[] =>
  (answer['writeErrors'] ?? []) as readonly RefusedUpdate[];

async function written(db: Db, command: Document): Promise<Document> {
  const answer = await db.command(command, { ignoreUndefined: true });
  const transient = refusalsIn(answer).find(isTransientAnswer);
  if (transient) throw new MongoServerError({ ...transient });
  return answer;
}

async function twice<T>(command: () => Promise<T>): Promise<T> {
  try {
    return await command();
  } catch (error) {
    if (!isTransient(error)) throw error;
    return command();
  }
}
