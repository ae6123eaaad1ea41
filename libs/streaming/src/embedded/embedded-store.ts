import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { Fault } from '@tidings/kernel';
import { collectionOf, createCollections, DUPLICATE_KEY, isTransientAnswer } from '@tidings/mongo';
import type { Db, Document } from 'mongodb';
import type { TopicSpec } from '../broker-port.ts';
import type { OffsetStore, StoredOffset } from '../offsets.ts';
import type { Batch } from './embedded-batch.ts';
import {
  batchesModel,
  embeddedLogCollections,
  floorsModel,
  offsetsModel,
  type StoredBatch,
  topicsModel,
} from './storage/log.schema.ts';

export interface PartitionId {
  readonly topic: string;
  readonly partition: number;
}

export interface Floor {
  readonly start: number;
  readonly clean: number;
}

export type Appended = 'appended' | 'taken' | Fault;

const { name: BATCHES } = batchesModel;
const { name: FLOORS } = floorsModel;
const { name: OFFSETS } = offsetsModel;

const DURABLE = { w: 'majority', j: true };
const UNJOURNALED = { w: 1 };

interface WriteReply extends Document {
  readonly writeErrors?: readonly { readonly index: number; readonly code: number; readonly errmsg: string }[];
}

interface FindReply<T> extends Document {
  readonly cursor: { readonly firstBatch: readonly T[] };
}

/** Below this, compression costs more than it saves. */
const PACKED_BYTES = 4_096;
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const packed = (body: Buffer): Pick<StoredBatch, 'raw' | 'records'> =>
  body.length < PACKED_BYTES ? { records: body } : { raw: body.length, records: zstdCompressSync(body, fast) };

/** In one piece: the default pieces would be joined. */
const unpacked = (records: Buffer, raw: number | undefined): Buffer =>
  raw === undefined ? records : zstdDecompressSync(records, { chunkSize: raw + 64 });

const toBatch = ({ _id, n, at, raw, records }: StoredBatch): Batch => ({
  first: _id.o,
  count: n,
  at,
  body: unpacked(Buffer.isBuffer(records) ? records : Buffer.from(records.buffer), raw),
});

const idsBetween = ({ topic: t, partition: p }: PartitionId, from: number, to: number): Document => ({
  $gte: { t, p, o: from },
  $lt: { t, p, o: to },
});

type LastBatch = Omit<StoredBatch, 'records'>;

/** Servers limit the stages of a pipeline to 1,000. */
const LOOKUPS = 100;

const lookUpLast = (partition: PartitionId, index: number): Document => ({
  $lookup: {
    from: BATCHES,
    pipeline: [
      { $match: { _id: idsBetween(partition, 0, Infinity) } },
      { $sort: { _id: -1 } },
      { $limit: 1 },
      { $project: { n: 1 } },
    ],
    as: String(index),
  },
});

const endOfBatch = (last: LastBatch | undefined): number | undefined => last && last._id.o + last.n;

const refusalOf = (error: { readonly code: number; readonly errmsg: string }): Fault =>
  isTransientAnswer(error)
    ? unavailable(new Error(error.errmsg))
    : Fault.bug(`the log refused a batch: ${error.errmsg}`);

const unavailable = (error: unknown): Fault => Fault.unavailable('The log does not answer', error);

/** Plain commands: the driver's retries cost a write each. */
export class Store implements OffsetStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async prepare(): Promise<void> {
    try {
      await createCollections(this.#db, embeddedLogCollections);
    } catch (error) {
      throw unavailable(error);
    }
  }

  async append(
    batches: readonly (PartitionId & { readonly batch: Batch; readonly compressed: boolean })[],
  ): Promise<Appended[]> {
    const reply = await this.#write({
      insert: BATCHES,
      ordered: false,
      documents: batches.map(({ topic, partition, batch, compressed }) => ({
        _id: { t: topic, p: partition, o: batch.first },
        n: batch.count,
        at: batch.at,
        ...(compressed ? packed(batch.body) : { records: batch.body }),
      })),
      writeConcern: DURABLE,
    });
    const outcomes = new Array<Appended>(batches.length).fill('appended');
    for (const error of reply.writeErrors ?? [])
      outcomes[error.index] = error.code === DUPLICATE_KEY ? 'taken' : refusalOf(error);
    return outcomes;
  }

  async read(partition: PartitionId, from: number, to: number, limit: number): Promise<Batch[]> {
    const found = await this.#find<StoredBatch>({
      find: BATCHES,
      filter: { _id: idsBetween(partition, from, to) },
      sort: { _id: 1 },
      batchSize: limit,
      singleBatch: true,
    });
    return found.map(toBatch);
  }

  async batchHolding(partition: PartitionId, offset: number): Promise<number | undefined> {
    const last = await this.#lastBelow(partition, offset + 1);
    return last && last._id.o + last.n > offset ? last._id.o : undefined;
  }

  async spans(partition: PartitionId, from: number, limit: number): Promise<Omit<Batch, 'body'>[]> {
    const found = await this.#find<StoredBatch>({
      find: BATCHES,
      filter: { _id: idsBetween(partition, from, Infinity) },
      projection: { n: 1, at: 1 },
      sort: { _id: 1 },
      batchSize: limit,
      singleBatch: true,
    });
    return found.map(({ _id, n, at }) => ({ first: _id.o, count: n, at }));
  }

  async endOf(partition: PartitionId): Promise<number | undefined> {
    const [end] = await this.endsOf([partition]);
    return end;
  }

  /** One command for {@link LOOKUPS} partitions. */
  async endsOf(partitions: readonly PartitionId[]): Promise<(number | undefined)[]> {
    const ends: (number | undefined)[] = [];
    for (let from = 0; from < partitions.length; from += LOOKUPS) {
      const part = partitions.slice(from, from + LOOKUPS);
      const [found] = await this.#find<Record<string, readonly [LastBatch?]>>({
        aggregate: BATCHES,
        pipeline: [{ $limit: 1 }, { $project: { _id: 1 } }, ...part.map(lookUpLast)],
        cursor: {},
      });
      ends.push(...part.map((_, i) => endOfBatch(found?.[i]?.[0])));
    }
    return ends;
  }

  async floors(): Promise<(PartitionId & Floor)[]> {
    const found = collectionOf(this.#db, floorsModel).find();
    return (await found.toArray()).map(({ _id, start = 0, clean = 0 }) => ({
      topic: _id.t,
      partition: _id.p,
      start,
      clean,
    }));
  }

  async raiseFloors(floors: readonly (PartitionId & Partial<Floor>)[]): Promise<void> {
    await this.#all({
      update: FLOORS,
      ordered: false,
      updates: floors.map(({ topic: t, partition: p, ...floor }) => ({
        q: { _id: { t, p } },
        u: { $max: floor },
        upsert: true,
      })),
      writeConcern: DURABLE,
    });
  }

  async remove(ranges: readonly (PartitionId & { readonly from: number; readonly below: number })[]): Promise<void> {
    await this.#all({
      delete: BATCHES,
      ordered: false,
      deletes: ranges.map(({ from, below, ...partition }) => ({
        q: { _id: idsBetween(partition, from, below) },
        limit: 0,
      })),
      writeConcern: UNJOURNALED,
    });
  }

  async rewrite(partition: PartitionId, batches: readonly Batch[]): Promise<void> {
    await this.#all({
      update: BATCHES,
      ordered: false,
      updates: batches.map(({ first, body }) => ({
        q: { _id: { t: partition.topic, p: partition.partition, o: first } },
        u: { $set: { records: body }, $unset: { raw: '' } },
      })),
      writeConcern: DURABLE,
    });
  }

  async topics(): Promise<TopicSpec[]> {
    const found = await collectionOf(this.#db, topicsModel).find().toArray();
    return found.map(({ _id: name, ...spec }) => ({ name, ...spec }));
  }

  async addTopic({ name, kind, partitions, retentionMs }: TopicSpec): Promise<void> {
    await this.#all({
      update: topicsModel.name,
      updates: [{ q: { _id: name }, u: { $setOnInsert: { kind, partitions, retentionMs } }, upsert: true }],
      writeConcern: DURABLE,
    });
  }

  async offsets(): Promise<StoredOffset[]> {
    const found = collectionOf(this.#db, offsetsModel).find();
    return (await found.toArray()).map(({ _id, o }) => ({ group: _id.g, topic: _id.t, partition: _id.p, offset: o }));
  }

  /** Not durable: after a server crash, records are delivered again. */
  async saveOffsets(offsets: readonly StoredOffset[]): Promise<void> {
    await this.#all({
      update: OFFSETS,
      ordered: false,
      updates: offsets.map(({ group: g, topic: t, partition: p, offset: o }) => ({
        q: { _id: { g, t, p } },
        u: { $set: { o } },
        upsert: true,
      })),
      writeConcern: UNJOURNALED,
    });
  }

  async removeOffsets(offsets: readonly Omit<StoredOffset, 'offset'>[]): Promise<void> {
    if (offsets.length === 0) return;
    await this.#all({
      delete: OFFSETS,
      ordered: false,
      deletes: offsets.map(({ group: g, topic: t, partition: p }) => ({ q: { _id: { g, t, p } }, limit: 1 })),
      writeConcern: UNJOURNALED,
    });
  }

  async #lastBelow(partition: PartitionId, offset: number): Promise<LastBatch | undefined> {
    const [last] = await this.#find<LastBatch>({
      find: BATCHES,
      filter: { _id: idsBetween(partition, 0, offset) },
      projection: { n: 1 },
      sort: { _id: -1 },
      limit: 1,
      singleBatch: true,
    });
    return last;
  }

  async #find<T>(command: Document): Promise<readonly T[]> {
    try {
      return ((await this.#db.command(command, { promoteBuffers: true })) as FindReply<T>).cursor.firstBatch;
    } catch (error) {
      throw unavailable(error);
    }
  }

  async #write(command: Document): Promise<WriteReply> {
    try {
      return await this.#db.command(command);
    } catch (error) {
      throw unavailable(error);
    }
  }

  async #all(command: Document): Promise<void> {
    const { writeErrors } = await this.#write(command);
    if (writeErrors?.[0]) throw unavailable(new Error(writeErrors[0].errmsg));
  }
}
