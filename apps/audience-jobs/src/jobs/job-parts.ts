import { Fault } from '@tidings/kernel';
import { asBuffer, bytesOf, modelOf } from '@tidings/mongo';
import { DeviceBatchReply, type EntryOutcome, JobEntry, PartEntries } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { OrphanRemoval } from './orphan-removal.ts';
import { type JobPartDocument, jobPartsModel } from './storage/jobs.schema.ts';

type Meant = ReadonlyMap<number, readonly string[]>;

/** A part of a job's entries, with their outcomes. */
export interface JobPart {
  readonly number: number;
  readonly entries: readonly JobEntry[];
  /** The devices of entries without an hwid, by the entry's index; undefined until resolved. */
  readonly hwids?: Meant;
  /** Size of the largest entry. */
  readonly entryBytes: number;
  /** Outcomes of the rows that are not simply done; undefined until all rows have a result. */
  readonly outcomes?: readonly EntryOutcome[];
}

/** Callers' data on devices, outside the logs: removed with the job, and not part of any event. */
export interface JobParts extends OrphanRemoval {
  store(job: string, number: number, part: PartEntries, at: Date): Promise<void>;
  find(job: string, number: number): Promise<JobPart | undefined>;
  /** In order, up to `end`, exclusive. */
  all(job: string, end: number): AsyncIterable<JobPart>;
  /** Stores the resolved devices, and returns the first stored ones: a repeated attempt uses the same devices. */
  resolve(job: string, number: number, hwids: Meant): Promise<Meant>;
  finish(job: string, number: number, outcomes: readonly EntryOutcome[]): Promise<void>;
  /** Jobs of the parts that were stored in this time, `to` exclusive. */
  jobsBetween(from: Date, to: Date): Promise<string[]>;
}

const idOf = (job: string, number: number): string => `${job}/${number}`;

const meantBy = (hwids: NonNullable<JobPartDocument['hwids']>): Meant =>
  new Map(hwids.map((each) => [each.entry, each.hwids]));

function partOf({ number, input, hwids, outcome }: JobPartDocument): JobPart {
  const { entries } = PartEntries.decode(bytesOf(input));
  return {
    number,
    entries: entries.map((bytes) => JobEntry.decode(bytes)),
    entryBytes: entries.reduce((most, { length }) => Math.max(most, length), 0),
    ...(hwids && { hwids: meantBy(hwids) }),
    ...(outcome && { outcomes: DeviceBatchReply.decode(bytesOf(outcome)).outcomes }),
  };
}

export function openJobParts(db: Db): JobParts {
  const parts = modelOf(db, jobPartsModel);
  return {
    async store(job, number, part, at) {
      const input = asBuffer(PartEntries.encode(part).finish());
      const _id = idOf(job, number);
      await parts.replaceOne({ _id }, { _id, job, number, at, input }, { upsert: true, runValidators: true });
    },
    async find(job, number) {
      const found = await parts.findOne({ _id: idOf(job, number) }).lean<JobPartDocument | null>();
      return found ? partOf(found) : undefined;
    },
    async *all(job, end) {
      const found = parts
        .find({ job, number: { $lt: end } })
        .sort({ number: 1 })
        .hint('job')
        .batchSize(4);
      for await (const document of found.lean().cursor() as AsyncIterable<JobPartDocument>) yield partOf(document);
    },
    async resolve(job, number, hwids) {
      const stored = [...hwids].map(([entry, each]) => ({ entry, hwids: each }));
      const _id = idOf(job, number);
      const { matchedCount } = await parts.updateOne({ _id, hwids: { $exists: false } }, { $set: { hwids: stored } });
      if (matchedCount === 1) return hwids;
      const first = await parts.findOne({ _id }, { hwids: 1 }).lean<Pick<JobPartDocument, 'hwids'> | null>();
      if (!first?.hwids) throw Fault.bug(`part ${_id} is missing`);
      return meantBy(first.hwids);
    },
    async finish(job, number, outcomes) {
      const outcome = asBuffer(DeviceBatchReply.encode({ outcomes: [...outcomes] }).finish());
      await parts.updateOne({ _id: idOf(job, number) }, { $set: { outcome } });
    },
    async jobsBetween(from, to) {
      const found = await parts
        .find({ at: { $gte: from, $lt: to } }, { job: 1 })
        .hint('age')
        .lean<Pick<JobPartDocument, 'job'>[]>();
      return [...new Set(found.map(({ job }) => job))];
    },
    remove: async (jobs) => void (await parts.deleteMany({ job: { $in: [...jobs] } })),
    removeBefore: async (at) => void (await parts.deleteMany({ at: { $lt: at } })),
  };
}
