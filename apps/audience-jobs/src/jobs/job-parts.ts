import { Fault } from '@tidings/kernel';
import { asBuffer, bytesOf, modelOf } from '@tidings/mongo';
import { DeviceBatchReply, type EntryOutcome, JobEntry, PartEntries } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { OrphanRemoval } from './orphan-removal.ts';
import { type JobPartDocument, jobPartsModel, type EntryDevicesDocument } from './storage/jobs.schema.ts';

export type EntryDevices = ReadonlyMap<number, readonly string[]>;

export interface JobPart {
  /** A part has a whole number; its pieces follow as fractions. */
  readonly number: number;
  readonly entries: readonly JobEntry[];
  readonly hwids?: EntryDevices;
  readonly entryBytes: number;
  readonly outcomes?: readonly EntryOutcome[];
  readonly isCut: boolean;
}

export interface Resolution {
  readonly entries: number;
  readonly hwids: EntryDevices;
  readonly outcomes?: readonly EntryOutcome[];
}

/** Callers' data on devices is kept outside the logs and removed with the job. */
export interface JobParts extends OrphanRemoval {
  store(job: string, number: number, part: PartEntries, at: Date): Promise<void>;
  find(job: string, number: number): Promise<JobPart | undefined>;
  next(job: string, number: number): Promise<JobPart>;
  all(job: string, end: number): AsyncIterable<JobPart>;
  /** A repeated attempt uses the devices first resolved. */
  resolve(job: string, part: JobPart, resolution: Resolution): Promise<JobPart>;
  finish(job: string, number: number, outcomes: readonly EntryOutcome[]): Promise<void>;
  jobsBetween(from: Date, to: Date): Promise<string[]>;
}

const idOf = (job: string, number: number): string => `${job}/${number}`;

const PIECE = 1 / 4096;

function repeatsIn(entries: readonly JobEntry[]): Map<number, number> {
  const firsts = new Map<string, number>();
  const repeats = new Map<number, number>();
  for (const [index, { identifier }] of entries.entries()) {
    if (identifier?.$case !== 'userId') continue;
    const first = firsts.get(identifier.value);
    if (first === undefined) firsts.set(identifier.value, index);
    else repeats.set(index, first);
  }
  return repeats;
}

function storedOf(entries: readonly JobEntry[], hwids: EntryDevices): EntryDevicesDocument[] {
  const repeats = repeatsIn(entries);
  return [...hwids].flatMap(([entry, each]) => (repeats.has(entry) ? [] : [{ entry, hwids: each }]));
}

function devicesByEntry(entries: readonly JobEntry[], hwids: readonly EntryDevicesDocument[]): EntryDevices {
  const resolved = new Map(hwids.map((each) => [each.entry, each.hwids]));
  for (const [index, first] of repeatsIn(entries)) {
    const devices = resolved.get(first);
    if (devices && !resolved.has(index)) resolved.set(index, devices);
  }
  return resolved;
}

const outcomeOf = (outcomes: readonly EntryOutcome[]): Buffer =>
  asBuffer(DeviceBatchReply.encode({ outcomes: [...outcomes] }).finish());

function partOf({ number, input, hwids, outcome, rest }: JobPartDocument): JobPart {
  const { entries: encoded } = PartEntries.decode(bytesOf(input));
  const entries = encoded.map((bytes) => JobEntry.decode(bytes));
  return {
    number,
    entries,
    isCut: rest !== undefined,
    entryBytes: encoded.reduce((most, { length }) => Math.max(most, length), 0),
    ...(hwids && { hwids: devicesByEntry(entries, hwids) }),
    ...(outcome && { outcomes: DeviceBatchReply.decode(bytesOf(outcome)).outcomes }),
  };
}

export function openJobParts(db: Db): JobParts {
  const parts = modelOf(db, jobPartsModel);
  const documentAt = async (job: string, number: number): Promise<JobPartDocument> => {
    const found = await parts.findOne({ _id: idOf(job, number) }).lean<JobPartDocument | null>();
    if (!found) throw Fault.bug(`part ${idOf(job, number)} is missing`);
    return found;
  };
  const cutAfter = async (count: number, job: string, number: number): Promise<Record<'input' | 'rest', Buffer>> => {
    const { entries } = PartEntries.decode(bytesOf((await documentAt(job, number)).input));
    const encoded = (from: number, to?: number): Buffer =>
      asBuffer(PartEntries.encode({ entries: entries.slice(from, to) }).finish());
    return { input: encoded(0, count), rest: encoded(count) };
  };
  return {
    async store(job, number, part, at) {
      const input = asBuffer(PartEntries.encode(part).finish());
      // A late repeat must not undo the work on a part.
      await parts.updateOne({ _id: idOf(job, number) }, { $setOnInsert: { job, number, at, input } }, { upsert: true });
    },
    async find(job, number) {
      const found = await parts.findOne({ _id: idOf(job, number) }).lean<JobPartDocument | null>();
      return found ? partOf(found) : undefined;
    },
    async next(job, number) {
      const { rest, at } = await documentAt(job, number);
      if (!rest) throw Fault.bug(`part ${idOf(job, number)} is whole`);
      const next = number + PIECE;
      const input = asBuffer(bytesOf(rest));
      if (input.length > 0) {
        const piece = { job, number: next, at, input };
        await parts.updateOne({ _id: idOf(job, next) }, { $setOnInsert: piece }, { upsert: true });
        // Kept in every piece, they would take gigabytes.
        await parts.updateOne({ _id: idOf(job, number) }, { $set: { rest: Buffer.alloc(0) } });
      }
      return partOf(await documentAt(job, next));
    },
    async *all(job, end) {
      const found = parts
        .find({ job, number: { $lt: end } })
        .sort({ number: 1 })
        .hint('job')
        .batchSize(4);
      for await (const document of found.lean().cursor() as AsyncIterable<JobPartDocument>) yield partOf(document);
    },
    async resolve(job, part, { entries: count, hwids, outcomes }) {
      const { number, entries } = part;
      const isCut = count < entries.length;
      const resolved = {
        hwids: storedOf(entries, hwids),
        ...(outcomes && { outcome: outcomeOf(outcomes) }),
        ...(isCut && (await cutAfter(count, job, number))),
      };
      const unresolved = { _id: idOf(job, number), hwids: { $exists: false } };
      const { matchedCount } = await parts.updateOne(unresolved, { $set: resolved });
      if (matchedCount === 1 && !isCut) return { ...part, hwids, ...(outcomes && { outcomes }) };
      return partOf(await documentAt(job, number));
    },
    async finish(job, number, outcomes) {
      await parts.updateOne({ _id: idOf(job, number) }, { $set: { outcome: outcomeOf(outcomes) } });
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
