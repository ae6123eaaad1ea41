import { Fault } from '@tidings/kernel';
import { asBuffer, bytesOf, modelOf } from '@tidings/mongo';
import { DeviceBatchReply, type EntryOutcome, JobEntry, JobPiece } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { OrphanRemoval } from './orphan-removal.ts';
import { type PieceDocument, piecesModel } from './storage/jobs.schema.ts';

type Meant = ReadonlyMap<number, readonly string[]>;

/** A piece of a job's entries, with their outcomes. */
export interface Piece {
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
export interface Pieces extends OrphanRemoval {
  store(job: string, number: number, piece: JobPiece, at: Date): Promise<void>;
  find(job: string, number: number): Promise<Piece | undefined>;
  /** In order, up to `end`, exclusive. */
  all(job: string, end: number): AsyncIterable<Piece>;
  /** Stores the resolved devices, and returns the first stored ones: a repeated attempt uses the same devices. */
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
