import { Fault } from '@tidings/kernel';
import { asBuffer, bytesOf, modelOf } from '@tidings/mongo';
import { DeviceBatchReply, type EntryOutcome, JobEntry, JobPiece } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { OrphanRemoval } from './orphan-removal.ts';
import { type PieceDocument, piecesModel } from './storage/jobs.schema.ts';

type Meant = ReadonlyMap<number, readonly string[]>;

/** A piece of a job's entries, and what became of them. */
export interface Piece {
  readonly number: number;
  readonly entries: readonly JobEntry[];
  /** The devices that entries mean whose hwids do not say it, by the entry's place; undefined until they were looked up. */
  readonly hwids?: Meant;
  /** Size of the largest of the entries. */
  readonly entryBytes: number;
  /** Of the rows of which there is more to say than that they are done; undefined until all have their result. */
  readonly outcomes?: readonly EntryOutcome[];
}

/** What callers said of devices, beside the logs: it is removed with its job, and no event repeats it. */
export interface Pieces extends OrphanRemoval {
  store(job: string, number: number, piece: JobPiece, at: Date): Promise<void>;
  find(job: string, number: number): Promise<Piece | undefined>;
  /** In order, below `end`. */
  all(job: string, end: number): AsyncIterable<Piece>;
  /** Says for good which devices are meant, and returns what was said first: an attempt that is repeated means the same. */
  resolve(job: string, number: number, hwids: Meant): Promise<Meant>;
  finish(job: string, number: number, outcomes: readonly EntryOutcome[]): Promise<void>;
}

const idOf = (job: string, number: number): string => `${job}/${number}`;

const meantBy = (hwids: NonNullable<PieceDocument['hwids']>): Meant =>
  new Map(hwids.map((each) => [each.entry, each.hwids]));

function pieceOf({ number, input, hwids, outcome }: PieceDocument): Piece {
  const { entries } = JobPiece.decode(bytesOf(input));
  return {
    number,
    entries: entries.map((bytes) => JobEntry.decode(bytes)),
    entryBytes: entries.reduce((most, { length }) => Math.max(most, length), 0),
    ...(hwids && { hwids: meantBy(hwids) }),
    ...(outcome && { outcomes: DeviceBatchReply.decode(bytesOf(outcome)).outcomes }),
  };
}

export function openPieces(db: Db): Pieces {
  const pieces = modelOf(db, piecesModel);
  return {
    async store(job, number, piece, at) {
      const input = asBuffer(JobPiece.encode(piece).finish());
      const _id = idOf(job, number);
      await pieces.replaceOne({ _id }, { _id, job, number, at, input }, { upsert: true, runValidators: true });
    },
    async find(job, number) {
      const found = await pieces.findOne({ _id: idOf(job, number) }).lean<PieceDocument | null>();
      return found ? pieceOf(found) : undefined;
    },
    async *all(job, end) {
      const found = pieces
        .find({ job, number: { $lt: end } })
        .sort({ number: 1 })
        .hint('job')
        .batchSize(4);
      for await (const document of found.lean().cursor() as AsyncIterable<PieceDocument>) yield pieceOf(document);
    },
    async resolve(job, number, hwids) {
      const stored = [...hwids].map(([entry, each]) => ({ entry, hwids: each }));
      const _id = idOf(job, number);
      const { matchedCount } = await pieces.updateOne({ _id, hwids: { $exists: false } }, { $set: { hwids: stored } });
      if (matchedCount === 1) return hwids;
      const first = await pieces.findOne({ _id }, { hwids: 1 }).lean<Pick<PieceDocument, 'hwids'> | null>();
      if (!first?.hwids) throw Fault.bug(`piece ${_id} is missing`);
      return meantBy(first.hwids);
    },
    async finish(job, number, outcomes) {
      const outcome = asBuffer(DeviceBatchReply.encode({ outcomes: [...outcomes] }).finish());
      await pieces.updateOne({ _id: idOf(job, number) }, { $set: { outcome } });
    },
    remove: async (jobs) => void (await pieces.deleteMany({ job: { $in: [...jobs] } })),
    removeBefore: async (at) => void (await pieces.deleteMany({ at: { $lt: at } })),
  };
}
