import type { SliceOutcome } from '@tidings/events';
import {
  type Emission,
  type RecipientSetKey,
  recipientSetId,
  settledBit,
  type SliceStatuses,
  type StatusChange,
  statusChange,
} from '@tidings/delivery';
import { sharedReads, sharedWrites } from '@tidings/coordination';
import { findAll, isDuplicateKey, isTransient, type Update, updateAll } from '@tidings/mongo';
import type { ClientSession, Collection, Db, UpdateFilter } from 'mongodb';

export const SLICE_STATUSES = 'sliceStatuses';

export interface SliceStatusesDocument extends SliceStatuses {
  readonly _id: string;
}

type Write = Update<SliceStatusesDocument>;

export interface Emitted {
  readonly number: number;
  readonly emission: Emission;
}

export class SliceStatusStore {
  readonly #db: Db;
  readonly #statuses: Collection<SliceStatusesDocument>;
  readonly #write: (writes: readonly Write[]) => Promise<void>;
  readonly #read: (ids: readonly string[]) => Promise<ReadonlyMap<string, SliceStatusesDocument>>;

  readonly #unstored = new Map<string, Unstored>();

  constructor(db: Db) {
    this.#db = db;
    this.#statuses = db.collection<SliceStatusesDocument>(SLICE_STATUSES);
    this.#write = sharedWrites((writes) => this.#apply(writes), { mayBeOneItem: (error) => !isTransient(error) });
    this.#read = sharedReads((ids) => this.#stored(ids));
  }

  async emitted(key: RecipientSetKey, slices: readonly Emitted[]): Promise<void> {
    await this.#write([emittedWrite(recipientSetId(key), emittedFields(slices))]);
  }

  /** Many slices settle before {@link flush}; after a crash they are emitted again. */
  bufferEmitted(key: RecipientSetKey, slices: readonly Emitted[]): void {
    const id = recipientSetId(key);
    const { emitted, settled } = this.#unstored.get(id) ?? nothing;
    this.#unstored.set(id, { emitted: { ...emitted, ...emittedFields(slices) }, settled });
  }

  /** After a crash they are emitted again, and their results published again. */
  bufferSettled(outcomes: readonly SliceOutcome[]): void {
    for (const [id, changes] of changesOf(outcomes)) {
      const { emitted, settled } = this.#unstored.get(id) ?? nothing;
      this.#unstored.set(id, { emitted, settled: [...settled, ...changes] });
    }
  }

  settled(ids: readonly string[]): void {
    for (const id of ids) this.#unstored.delete(id);
  }

  async flush(): Promise<void> {
    const unstored = [...this.#unstored];
    if (unstored.length === 0) return;
    await this.#write(unstored.map(([_id, changes]) => ({ q: { _id }, u: unstoredUpdate(changes), upsert: true })));
    for (const [id, changes] of unstored) if (this.#unstored.get(id) === changes) this.#unstored.delete(id);
  }

  async record(outcomes: readonly SliceOutcome[], session?: ClientSession): Promise<void> {
    const writes = [...changesOf(outcomes)].map(([_id, list]): Write => ({
      q: { _id },
      u: updateOf(list),
      upsert: true,
    }));
    if (writes.length === 0) return;
    if (!session) return this.#write(writes);
    const operations = writes.map(({ q: filter, u: update }) => ({ updateOne: { filter, update, upsert: true } }));
    await this.#statuses.bulkWrite(operations, { ordered: false, session });
  }

  async #apply(writes: readonly Write[]): Promise<void> {
    try {
      await updateAll(this.#db, SLICE_STATUSES, writes);
    } catch (error) {
      // One of two concurrent upserts must be repeated.
      if (!isDuplicateKey(error)) throw error;
      await updateAll(this.#db, SLICE_STATUSES, writes);
    }
  }

  async find(ids: readonly string[], session?: ClientSession): Promise<ReadonlyMap<string, SliceStatusesDocument>> {
    if (session) return this.#stored(ids, session);
    if (ids.some((id) => this.#unstored.has(id))) await this.flush();
    return this.#read(ids);
  }

  async #stored(ids: readonly string[], session?: ClientSession): Promise<Map<string, SliceStatusesDocument>> {
    const filter = { _id: { $in: [...ids] } };
    const found = await (session
      ? this.#statuses.find(filter, { session }).toArray()
      : findAll<SliceStatusesDocument>(this.#db, SLICE_STATUSES, filter));
    return new Map(found.map((statuses) => [statuses._id, statuses]));
  }
}

type EmittedFields = Readonly<Record<string, readonly number[]>>;

interface Unstored {
  readonly emitted: EmittedFields;
  readonly settled: readonly StatusChange[];
}

const nothing: Unstored = { emitted: {}, settled: [] };

const emittedFields = (slices: readonly Emitted[]): EmittedFields =>
  Object.fromEntries(
    slices.map(({ number, emission: { partition, offset, at } }) => [`emitted.${number}`, [partition, offset, at]]),
  );

const emittedWrite = (_id: string, fields: EmittedFields): Write => ({
  q: { _id },
  u: { $set: fields },
  upsert: true,
});

const unstoredUpdate = ({ emitted, settled }: Unstored): UpdateFilter<SliceStatusesDocument> => ({
  ...(Object.keys(emitted).length > 0 && { $set: emitted }),
  ...updateOf(settled),
});

function changesOf(outcomes: readonly SliceOutcome[]): ReadonlyMap<string, readonly StatusChange[]> {
  const changes = new Map<string, StatusChange[]>();
  for (const each of outcomes) {
    const change = statusChange(each);
    if (!change) continue;
    const id = recipientSetId(each);
    const list = changes.get(id);
    if (list) list.push(change);
    else changes.set(id, [change]);
  }
  return changes;
}

function updateOf(changes: readonly StatusChange[]): UpdateFilter<SliceStatusesDocument> {
  const bits: Record<string, { or: number }> = {};
  const max: Record<string, number> = {};
  for (const change of changes) {
    if ('settled' in change) {
      const { word, bit } = settledBit(change.settled);
      const field = `settled.${word}`;
      bits[field] = { or: (bits[field]?.or ?? 0) | bit };
    } else {
      const field = `deferred.${change.deferred}`;
      max[field] = Math.max(max[field] ?? 0, change.until);
    }
  }
  return {
    ...(Object.keys(bits).length > 0 ? { $bit: bits } : {}),
    ...(Object.keys(max).length > 0 ? { $max: max } : {}),
  };
}
