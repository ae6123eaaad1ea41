import {
  type Attempt,
  type Claimed,
  dueOf,
  noResults,
  type Progress,
  type Rest,
  type Results,
  type Verdict,
} from '@tidings/delivery';
import { WindowSettled } from '@tidings/events';
import { ChunkSet, Fault } from '@tidings/kernel';
import { type AnyBulkWriteOperation, Binary, type Collection, MongoBulkWriteError } from 'mongodb';
import type { Lane } from './channels/port.ts';
import { coalesce } from './coalesce.ts';
import { reached } from './unavailable.ts';

/** A window that waited, claimed. */
export interface Woken {
  readonly id: string;
  readonly attempt: Claimed;
}

/** The dispatcher's memory of windows. All throw a Fault `unavailable` when the store does not answer. Each change is a compare-and-set; see the transitions in libs/delivery. */
export interface AttemptStore {
  /** Inserts the claim; resolves to the attempt that was there before, or undefined where the claim is in. */
  claim(id: string, lane: Lane, attempt: Claimed): Promise<Attempt | undefined>;
  /** Takes a claim from a dead owner; undefined where it is not `from`'s any more. */
  takeOver(id: string, from: string, to: string): Promise<Claimed | undefined>;
  /** Ends a claim: every device is answered. False where it is not the owner's any more. May be repeated. */
  settle(id: string, owner: string, results: Results, now: number): Promise<boolean>;
  /** Ends a claim: some devices wait. False where it is not the owner's any more. May be repeated. */
  rest(id: string, owner: string, results: Results, rest: Rest): Promise<boolean>;
  /** How many windows of a lane wait and are due, counted up to `limit`. */
  due(lane: Lane, now: number, limit: number): Promise<number>;
  /** Claims windows of a lane that wait and are due, the longest due first. */
  wake(lane: Lane, owner: string, now: number, limit: number): Promise<readonly Woken[]>;
}

/** What the store can tell about itself. */
export interface AttemptCounts {
  /** Windows that somebody sends now, or did when he died. */
  readonly claimed: number;
  /** Windows that wait and are due. */
  readonly due: number;
}

interface ProgressDocument {
  readonly tries: number;
  readonly dueAt: Date;
  readonly repaired: boolean;
  readonly last?: { readonly category: string; readonly code: string; readonly name: string };
  /** Indexes of the devices in the batch: a chunk set. */
  readonly devices: Binary;
}

interface RestDocument {
  /** SendBatch with the unanswered devices. */
  readonly batch: Binary;
  readonly progress: readonly ProgressDocument[];
}

/** A document of the collection `attempts`. */
export interface AttemptDocument {
  /** The window's identity. */
  readonly _id: string;
  readonly channel: string;
  readonly lane: Lane;
  readonly state: Attempt['state'];
  /** Who has it, or who ended it. */
  readonly owner: string;
  readonly claimedAt: Date;
  /** WindowSettled without `claimed_at`. */
  readonly results: Binary;
  readonly rest?: RestDocument;
  readonly dueAt?: Date;
  readonly settledAt?: Date;
}

/** How long a settled window is remembered: as long as its record may be delivered again, with a margin. */
export const REMEMBER_MS = 48 * 3_600_000;

const DUPLICATE_KEY = 11_000;

const packResults = (results: Results): Binary =>
  new Binary(WindowSettled.encode({ ...results, claimedAt: undefined }).finish());

function unpackResults(bytes: Binary): Results {
  if (bytes.length() === 0) return noResults;
  const { sent, failed, deadTokens } = WindowSettled.decode(bytes.buffer);
  return { sent, failed, deadTokens };
}

const keyOf = ({ tries, dueAt, repaired, last }: Progress): string =>
  `${tries}/${dueAt}/${repaired}/${last?.category}/${last?.code}/${last?.name}`;

/** Devices that came equally far share an entry: usually all of them. */
function packRest({ batch, progress }: Rest): RestDocument {
  const groups = new Map<string, { readonly of: Progress; readonly devices: number[] }>();
  progress.forEach((each, i) => {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group) group.devices.push(i);
    else groups.set(key, { of: each, devices: [i] });
  });
  return {
    batch: new Binary(batch),
    progress: [...groups.values()].map(({ of: { tries, dueAt, repaired, last }, devices }) => ({
      tries,
      dueAt: new Date(dueAt),
      repaired,
      ...(last ? { last: { category: last.category, code: last.code, name: last.name } } : {}),
      devices: new Binary(ChunkSet.of(devices).encode()),
    })),
  };
}

function unpackRest({ batch, progress }: RestDocument): Rest {
  const devices: Progress[] = [];
  for (const { tries, dueAt, repaired, last, devices: indexes } of progress) {
    const verdict = last && ({ ...last, then: { do: 'final' } } as Verdict);
    const each: Progress = { tries, dueAt: dueAt.getTime(), repaired, last: verdict };
    for (const index of ChunkSet.decode(indexes.buffer).positions()) devices[index] = each;
  }
  return { batch: batch.buffer, progress: devices };
}

function attemptOf(document: AttemptDocument): Attempt {
  const begun = { claimedAt: document.claimedAt.getTime(), results: unpackResults(document.results) };
  const rest = document.rest && unpackRest(document.rest);
  switch (document.state) {
    case 'claimed':
      return { state: 'claimed', ...begun, owner: document.owner, rest };
    case 'rest':
      return { state: 'rest', ...begun, rest: rest!, dueAt: document.dueAt!.getTime() };
    case 'settled':
      return { state: 'settled', ...begun, settledAt: document.settledAt!.getTime() };
  }
}

interface Ending {
  readonly id: string;
  readonly owner: string;
  readonly set: Partial<AttemptDocument>;
  readonly unset: Partial<Record<keyof AttemptDocument, ''>>;
}

/** Attempts of one channel in the collection `attempts`. What arrives at the same time shares a write. */
export class MongoAttempts implements AttemptStore {
  readonly #collection: Collection<AttemptDocument>;
  readonly #channel: string;
  readonly #insert: (document: AttemptDocument) => Promise<Attempt | undefined>;
  readonly #end: (ending: Ending) => Promise<boolean>;

  constructor(collection: Collection<AttemptDocument>, channel: string) {
    this.#collection = collection;
    this.#channel = channel;
    this.#insert = coalesce((documents) => reached(this.#insertAll(documents)));
    this.#end = coalesce((endings) => reached(this.#endAll(endings)));
  }

  /** Makes the indexes; call it at start. */
  async prepare(): Promise<void> {
    await this.#collection.createIndexes([
      { key: { channel: 1, state: 1, lane: 1, dueAt: 1 }, name: 'due' },
      { key: { settledAt: 1 }, name: 'settled', sparse: true },
    ]);
  }

  claim(id: string, lane: Lane, attempt: Claimed): Promise<Attempt | undefined> {
    return this.#insert({
      _id: id,
      channel: this.#channel,
      lane,
      state: 'claimed',
      owner: attempt.owner,
      claimedAt: new Date(attempt.claimedAt),
      results: packResults(attempt.results),
    });
  }

  async takeOver(id: string, from: string, to: string): Promise<Claimed | undefined> {
    const document = await reached(
      this.#collection.findOneAndUpdate(
        { _id: id, state: 'claimed', owner: from },
        { $set: { owner: to } },
        { returnDocument: 'after' },
      ),
    );
    return document ? (attemptOf(document) as Claimed) : undefined;
  }

  settle(id: string, owner: string, results: Results, now: number): Promise<boolean> {
    const set = { state: 'settled', results: packResults(results), settledAt: new Date(now) } as const;
    return this.#end({ id, owner, set, unset: { rest: '', dueAt: '' } });
  }

  rest(id: string, owner: string, results: Results, rest: Rest): Promise<boolean> {
    const set = {
      state: 'rest',
      results: packResults(results),
      rest: packRest(rest),
      dueAt: new Date(dueOf(rest)),
    } as const;
    return this.#end({ id, owner, set, unset: {} });
  }

  due(lane: Lane, now: number, limit: number): Promise<number> {
    return reached(this.#collection.countDocuments(this.#dueIn(lane, now), { limit }));
  }

  async wake(lane: Lane, owner: string, now: number, limit: number): Promise<readonly Woken[]> {
    const due = this.#dueIn(lane, now);
    const found = await this.#collection
      .find(due, { projection: { _id: 1 } })
      .sort({ dueAt: 1 })
      .limit(limit)
      .toArray();
    const woken = await Promise.all(
      found.map(({ _id }) =>
        this.#collection.findOneAndUpdate(
          { _id, state: 'rest', dueAt: due.dueAt },
          { $set: { state: 'claimed', owner } },
          { returnDocument: 'after' },
        ),
      ),
    );
    return woken.flatMap((document) =>
      document ? [{ id: document._id, attempt: attemptOf(document) as Claimed }] : [],
    );
  }

  #dueIn(lane: Lane, now: number) {
    return { channel: this.#channel, state: 'rest', lane, dueAt: { $lte: new Date(now) } } as const;
  }

  async counts(now: number): Promise<AttemptCounts> {
    const of = { channel: this.#channel };
    const [claimed, due] = await Promise.all([
      this.#collection.countDocuments({ ...of, state: 'claimed' }),
      this.#collection.countDocuments({ ...of, state: 'rest', dueAt: { $lte: new Date(now) } }),
    ]);
    return { claimed, due };
  }

  /** How many windows wait, due or not. */
  resting(): Promise<number> {
    return this.#collection.countDocuments({ channel: this.#channel, state: 'rest' }, { hint: 'due' });
  }

  /** Forgets windows that were settled before `before`, `limit` at most, and says how many. */
  async forget(before: number, limit: number): Promise<number> {
    const old = await this.#collection
      .find({ settledAt: { $lt: new Date(before) } }, { projection: { _id: 1 } })
      .limit(limit)
      .toArray();
    if (old.length === 0) return 0;
    const { deletedCount } = await this.#collection.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
    return deletedCount;
  }

  /** One unordered insert for all: a collision costs nobody else anything. */
  async #insertAll(documents: readonly AttemptDocument[]): Promise<(Attempt | undefined)[]> {
    try {
      await this.#collection.insertMany(documents, { ordered: false });
      return documents.map(() => undefined);
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError)) throw error;
      const errors = [error.writeErrors].flat();
      if (errors.length === 0 || errors.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
      const refused = new Set(errors.map(({ index }) => index));
      const taken = new Set(errors.map(({ index }) => documents[index]!._id));
      const found = await this.#collection.find({ _id: { $in: [...taken] } }).toArray();
      if (found.length < taken.size) throw Fault.unavailable('an attempt was forgotten while it was met');
      const before = new Map(found.map((document) => [document._id, attemptOf(document)]));
      return documents.map(({ _id }, index) => (refused.has(index) ? before.get(_id) : undefined));
    }
  }

  async #endAll(endings: readonly Ending[]): Promise<boolean[]> {
    const operations = endings.map(({ id, owner, set, unset }): AnyBulkWriteOperation<AttemptDocument> => ({
      updateOne: {
        filter: { _id: id, state: 'claimed', owner },
        update: { $set: set, ...(Object.keys(unset).length > 0 ? { $unset: unset } : {}) },
      },
    }));
    const { matchedCount } = await this.#collection.bulkWrite(operations, { ordered: false });
    if (matchedCount === endings.length) return endings.map(() => true);
    return this.#ended(endings);
  }

  /** Which of the endings are in: some were refused, or had been in since an earlier try whose answer was lost. */
  async #ended(endings: readonly Ending[]): Promise<boolean[]> {
    const found = await this.#collection
      .find({ _id: { $in: endings.map(({ id }) => id) } }, { projection: { state: 1, owner: 1 } })
      .toArray();
    const byId = new Map(found.map((document) => [document._id, document]));
    return endings.map(({ id, owner, set }) => {
      const document = byId.get(id);
      return document?.owner === owner && document.state === set.state;
    });
  }
}
