import { batcher } from '@tidings/coordination';
import { type BatchColumns, columnsOf, pickDevices } from '@tidings/delivery';
import type { SendBatch, Slice } from '@tidings/events';
import { chunkOf, type Clock, positionOf, TEST_CHUNK } from '@tidings/kernel';
import { collectionOf, type Update, updateAll } from '@tidings/mongo';
import type { Binary, Collection, Db } from 'mongodb';
import { erasedDevicesModel, keptApplicationsModel, sentValuesModel } from './sent.schema.ts';
import { GIVE_UP_MS } from '../attempts/attempt-documents.ts';
import {
  KEEP_VALUES_MS,
  type ErasedDocument,
  idOf,
  packValues,
  roundsOf,
  type SentValuesDocument,
  unpackValues,
} from './sent-values-documents.ts';
import { storeAsFault } from '../unavailable.ts';
import { type KeptApplications, openKeptApplications } from './kept-applications.ts';

export interface SentDevices {
  readonly batch: SendBatch;
  readonly columns: BatchColumns;
  readonly slice: Slice;
  readonly round: number;
  readonly positions: readonly number[];
}

export interface SentValuesKeeper {
  keep(sent: SentDevices): Promise<void>;
}

export interface ValuesRequest {
  readonly id: string;
  readonly positions: readonly number[];
}

export interface Erased {
  readonly account: string;
  readonly application: string;
  readonly seq: number;
}

const MAX_ATTEMPTS = 20;

export class SentValuesStore implements SentValuesKeeper {
  readonly applications: KeptApplications;
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #values: Collection<SentValuesDocument>;
  readonly #erased: Collection<ErasedDocument>;
  readonly #write: (update: Update<SentValuesDocument>) => Promise<void>;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#values = collectionOf(db, sentValuesModel);
    this.#erased = collectionOf(db, erasedDevicesModel);
    this.applications = openKeptApplications(db, collectionOf(db, keptApplicationsModel), clock);
    this.#write = batcher(async (updates: readonly Update<SentValuesDocument>[]) => {
      await storeAsFault(updateAll(db, sentValuesModel.name, updates));
      return updates.map(() => undefined);
    }).submit;
  }

  async keep({ batch, columns, slice, round, positions }: SentDevices): Promise<void> {
    const { account, application, chunk } = batch;
    // Test devices have no events (R-L2).
    if (positions.length === 0 || chunk === TEST_CHUNK) return;
    if (!(await this.applications.has(account, application))) return;
    const sent = new Set(positions);
    const devices = Array.from({ length: slice.count }, (_, i) => slice.first + i);
    const written = pickDevices(
      batch,
      columns,
      slice,
      devices.filter((device) => sent.has(columns.positions[device]!)),
    );
    await this.#write({
      q: { _id: idOf(written) },
      u: {
        $set: { application, chunk, [`rounds.${round}`]: packValues(written) },
        $min: { first: Math.min(...positions) },
        $max: { last: Math.max(...positions), expireAt: new Date(this.#clock.now() + KEEP_VALUES_MS) },
      },
      upsert: true,
    });
    // Reads after the write, so that either this call or the erasure sees the other.
    const erased = await storeAsFault(this.#erased.find({ application, chunk }).toArray());
    await this.#remove(
      application,
      chunk,
      new Set(erased.map(({ position }) => position).filter((at) => sent.has(at))),
    );
  }

  async find(requests: readonly ValuesRequest[]): Promise<{ readonly index: number; readonly batch: SendBatch }[]> {
    const ids = requests.map(({ id }) => id);
    const now = new Date(this.#clock.now());
    const stored = await storeAsFault(this.#values.find({ _id: { $in: ids }, expireAt: { $gt: now } }).toArray());
    const byId = new Map(stored.map((document) => [document._id, document]));
    return requests.flatMap(({ id, positions }, index) => {
      const document = byId.get(id);
      return document ? foundIn(document, positions).map((batch) => ({ index, batch })) : [];
    });
  }

  async erase(devices: readonly Erased[]): Promise<void> {
    for (const [application, erased] of Map.groupBy(devices, (device) => device.application)) {
      if (await this.applications.has(erased[0]!.account, application)) await this.#note(erased);
      for (const [chunk, ofChunk] of Map.groupBy(erased, ({ seq }) => chunkOf(seq))) {
        await this.#remove(application, chunk, new Set(ofChunk.map(({ seq }) => positionOf(seq))));
      }
    }
  }

  async purge(application: string): Promise<void> {
    await this.#values.deleteMany({ application });
    await this.#erased.deleteMany({ application });
  }

  async #note(devices: readonly Erased[]): Promise<void> {
    const expireAt = new Date(this.#clock.now() + GIVE_UP_MS);
    const updates = devices.map(({ application, seq }): Update<ErasedDocument> => ({
      q: { _id: `${application}/${seq}` },
      u: { $set: { application, chunk: chunkOf(seq), position: positionOf(seq), expireAt } },
      upsert: true,
    }));
    await storeAsFault(updateAll(this.#db, erasedDevicesModel.name, updates));
  }

  async #remove(application: string, chunk: number, positions: ReadonlySet<number>): Promise<void> {
    if (positions.size === 0) return;
    const [first, last] = [Math.min(...positions), Math.max(...positions)];
    const near = { application, chunk, first: { $lte: last }, last: { $gte: first } };
    const ids = await storeAsFault(this.#values.find(near, { projection: { _id: 1 } }).toArray());
    for (const { _id } of ids) await this.#removeFrom(_id, positions);
  }

  async #removeFrom(_id: string, positions: ReadonlySet<number>): Promise<void> {
    for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
      const document = await storeAsFault(this.#values.findOne({ _id }));
      const change = document && without(document, positions);
      if (!change) return;
      const { matchedCount } = await storeAsFault(
        this.#values.updateOne({ _id, ...prefixed(change.before) }, { $set: prefixed(change.after) }),
      );
      if (matchedCount > 0) return;
    }
    throw new Error(`${_id}: values change too often`);
  }
}

const prefixed = (rounds: SentValuesDocument['rounds']): Record<string, Binary> =>
  Object.fromEntries(Object.entries(rounds).map(([round, values]) => [`rounds.${round}`, values]));

const picked = (batch: SendBatch, columns: BatchColumns, devices: readonly number[]): SendBatch =>
  pickDevices(batch, columns, batch.slices[0]!, devices);

function foundIn(document: SentValuesDocument, positions: readonly number[]): SendBatch[] {
  const missing = new Set(positions);
  return roundsOf(document).flatMap(([, values]) => {
    if (missing.size === 0) return [];
    const batch = unpackValues(values);
    const columns = columnsOf(batch);
    const devices = [...columns.positions.keys()].filter((device) => missing.delete(columns.positions[device]!));
    return devices.length > 0 ? [picked(batch, columns, devices)] : [];
  });
}

function without(document: SentValuesDocument, positions: ReadonlySet<number>) {
  const before: Record<string, Binary> = {};
  const after: Record<string, Binary> = {};
  for (const [round, values] of roundsOf(document)) {
    const batch = unpackValues(values);
    const columns = columnsOf(batch);
    const others = [...columns.positions.keys()].filter((device) => !positions.has(columns.positions[device]!));
    if (others.length === columns.devices) continue;
    before[round] = values;
    after[round] = packValues(picked(batch, columns, others));
  }
  return Object.keys(before).length > 0 ? { before, after } : undefined;
}
