import { BSON, type Db, type Document, type Filter, Long, MongoServerError, type UpdateFilter } from 'mongodb';
import { isTransient, isTransientAnswer } from './transient.ts';

/** One statement of an update command. */
export interface Update<Stored extends Document = Document> {
  readonly q: Filter<Stored>;
  readonly u: UpdateFilter<Stored>;
  readonly upsert?: boolean;
  readonly multi?: boolean;
}

/** The refusal of one statement, by its index. */
export interface RefusedUpdate {
  readonly index: number;
  readonly code: number;
  readonly errmsg: string;
}

export interface UpdateOptions {
  /** Whether the statements run in order, up to the first refused one. @default false */
  readonly ordered?: boolean;
}

export interface UpdateOutcome {
  /** Number of documents that matched, or were created. */
  readonly matched: number;
  readonly refused: readonly RefusedUpdate[];
}

/** Acknowledged means journaled on a majority: a plain command does not inherit this from its connection. */
const DURABLE = { w: 'majority', j: true } as const;
const MAX_STATEMENTS = 1000;
/** Maximum bytes of several statements: the server accepts commands of 16 MB. */
const MAX_BYTES = 8 << 20;
/** Documents in one answer, unless they are large. */
const READ_BATCH = 10_000;

/**
 * Runs idempotent updates durably, by plain commands: the driver's bulk writes cost our process more, and each of their statements costs the server
 * another write, which makes it repeatable. Here a transient error repeats the whole command once.
 * @returns the refused statements; the others have been written, or follow the first refused one of an ordered call
 * @throws the error of a statement that the server could not execute, such as on a full disk: then none is refused
 */
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

/** The same; returns the number of documents that matched, or were created. @throws MongoServerError of the first refused statement */
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
  /** Whether bytes are read as `Buffer`. @default as `Binary` */
  readonly promoteBuffers?: boolean;
}

/** All documents that match, by a plain command: a cursor of the driver costs nearly as much again. A transient error repeats the query once. */
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
  // Too much for one answer: a cursor belongs to its session, so everything is read again from the start.
  await db.command({ killCursors: collection, cursors: [Long.fromValue(id)] });
  const rest = { ...(projection && { projection }), promoteBuffers };
  return db.collection<Stored>(collection).find<Found>(filter, rest).toArray();
}

/** Runs of statements that fit into one command each, with the index of their first one. */
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

/** The answer to a write. @throws the error of a statement that the server might execute later */
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
