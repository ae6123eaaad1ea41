import type { SliceOutcome } from '@tidings/events';
import { ensureCollection } from '@tidings/event-store';
import type { AnyBulkWriteOperation, ClientSession, Collection, Db, UpdateFilter } from 'mongodb';
import { type ChunkKey, chunkKeyOfOutcome, marksId } from './keys.ts';
import type { Emission, OpenSlice } from './slices.ts';

export const MARKS = 'marks';

/** Slices in one number of `settled`. */
const WORD = 31;

/**
 * What happened to the slices of a plan in one channel. Every field is written by updates that may come in any order and be repeated,
 * so whoever is first makes the document.
 */
export interface MarksDocument {
  /** Of `marksId`. */
  readonly _id: string;
  /** By slice: partition, offset and time (milliseconds since 1970) of its last record. */
  readonly e?: Readonly<Record<string, readonly [partition: number, offset: number, at: number]>>;
  /** By slice: until when it was last deferred, milliseconds since 1970. Over once it was emitted later than that. */
  readonly d?: Readonly<Record<string, number>>;
  /** Settled slices, 31 to a number: bits only ever come. */
  readonly s?: Readonly<Record<string, number>>;
}

const wordOf = (w: number): number => Math.floor(w / WORD);
const bitOf = (w: number): number => 1 << (w % WORD);

export const isSettled = (marks: Pick<MarksDocument, 's'> | undefined, w: number): boolean =>
  ((marks?.s?.[wordOf(w)] ?? 0) & bitOf(w)) !== 0;

/** The slices below `count` that are not settled. */
export function openSlices(marks: Pick<MarksDocument, 's'> | undefined, count: number): number[] {
  const open: number[] = [];
  for (let w = 0; w < count; w++) if (!isSettled(marks, w)) open.push(w);
  return open;
}

export function sliceOf(marks: MarksDocument | undefined, w: number): OpenSlice {
  const emitted = marks?.e?.[w];
  const deferredUntil = marks?.d?.[w];
  // A deferral may be recorded before the emission that it answers: times tell them apart, not the order of writes.
  const isOver = emitted !== undefined && deferredUntil !== undefined && deferredUntil <= emitted[2];
  return {
    emitted: emitted && { partition: emitted[0], offset: emitted[1], at: emitted[2] },
    deferredUntil: isOver ? undefined : deferredUntil,
  };
}

/** The document's update for one slice. */
type Change = { readonly settled: number } | { readonly deferred: number; readonly until: number };

/** Marks of slices; see {@link MarksDocument}. */
export class Marks {
  readonly #db: Db;
  readonly #marks: Collection<MarksDocument>;

  constructor(db: Db) {
    this.#db = db;
    this.#marks = db.collection<MarksDocument>(MARKS);
  }

  /** Transactions need the collection. */
  prepare(): Promise<void> {
    return ensureCollection(this.#db, MARKS);
  }

  /** Records where slices were emitted to. */
  async emitted(
    key: ChunkKey,
    channel: string,
    slices: readonly { readonly w: number; readonly emission: Emission }[],
  ): Promise<void> {
    const set: Record<string, unknown> = {};
    for (const { w, emission } of slices) {
      set[`e.${w}`] = [emission.partition, emission.offset, emission.at];
    }
    const update = { $set: set } as UpdateFilter<MarksDocument>;
    await this.#apply([{ updateOne: { filter: { _id: marksId(key, channel) }, update, upsert: true } }]);
  }

  /** Records outcomes, in the transaction of a session if there is one; repeats change nothing. */
  async record(outcomes: readonly SliceOutcome[], session?: ClientSession): Promise<void> {
    const changes = new Map<string, Change[]>();
    for (const each of outcomes) {
      const id = marksId(chunkKeyOfOutcome(each), each.channel);
      const list = changes.get(id) ?? [];
      if (list.length === 0) changes.set(id, list);
      if (each.outcome?.$case === 'settled') list.push({ settled: each.w });
      else if (each.outcome?.value.until) list.push({ deferred: each.w, until: each.outcome.value.until.getTime() });
    }
    await this.#apply(
      [...changes].flatMap(([_id, list]) =>
        list.length === 0 ? [] : [{ updateOne: { filter: { _id }, update: updateOf(list), upsert: true } }],
      ),
      session,
    );
  }

  async #apply(writes: readonly AnyBulkWriteOperation<MarksDocument>[], session?: ClientSession): Promise<void> {
    if (writes.length === 0) return;
    try {
      await this.#marks.bulkWrite([...writes], { ordered: false, ...(session && { session }) });
    } catch (error) {
      // Two upserts made the same document at once: one of them has to come again, as an update. A transaction has to begin anew.
      if (session || (error as { code?: unknown }).code !== 11000) throw error;
      await this.#marks.bulkWrite([...writes], { ordered: false });
    }
  }

  /** The marks of plans in all their channels, by `_id`. */
  async find(ids: readonly string[], session?: ClientSession): Promise<ReadonlyMap<string, MarksDocument>> {
    const found =
      ids.length === 0
        ? []
        : await this.#marks.find({ _id: { $in: [...ids] } }, { ...(session && { session }) }).toArray();
    return new Map(found.map((marks) => [marks._id, marks]));
  }
}

function updateOf(changes: readonly Change[]): UpdateFilter<MarksDocument> {
  const bits: Record<string, { or: number }> = {};
  const max: Record<string, number> = {};
  for (const change of changes) {
    if ('settled' in change) {
      const field = `s.${wordOf(change.settled)}`;
      bits[field] = { or: (bits[field]?.or ?? 0) | bitOf(change.settled) };
    } else {
      const field = `d.${change.deferred}`;
      max[field] = Math.max(max[field] ?? 0, change.until);
    }
  }
  return {
    ...(Object.keys(bits).length > 0 ? { $bit: bits } : {}),
    ...(Object.keys(max).length > 0 ? { $max: max } : {}),
  };
}
