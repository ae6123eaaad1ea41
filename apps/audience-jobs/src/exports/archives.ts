import { Fault } from '@tidings/kernel';
import { asBuffer, bytesOf, isDuplicateKey, modelOf } from '@tidings/mongo';
import type { ArchivePlace } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { OrphanRemoval } from '../jobs/orphan-removal.ts';
import {
  archiveBlocksModel,
  archivePartsModel,
  type BlockDocument,
  type Part,
  type PartDocument,
} from './storage/exports.schema.ts';

/** Parts of failed attempts are never read. */
export interface Archives extends OrphanRemoval {
  storeBlock(place: BlockPlace, bytes: Uint8Array, at: Date): Promise<void>;
  find(job: string, part: number): Promise<Part | undefined>;
  /** @returns the part that counts, maybe another attempt's */
  finish(job: string, number: number, part: Part, at: Date): Promise<Part>;
  /** @throws Fault `unavailable` if the file is incomplete */
  read(
    job: string,
    parts: number,
    from: ArchivePlace,
  ): AsyncIterable<{ readonly bytes: Uint8Array; readonly next: ArchivePlace }>;
}

interface BlockPlace {
  readonly job: string;
  readonly part: number;
  readonly attempt: string;
  readonly block: number;
}

const PART_DIGITS = 10;
const partId = (job: string, part: number): string => `${job}/${String(part).padStart(PART_DIGITS, '0')}`;
const blockId = ({ job, part, attempt, block }: BlockPlace): string => `${partId(job, part)}/${attempt}/${block}`;
const idsOf = (job: string) => ({ $gt: `${job}/`, $lt: `${job}0` });

export function openArchives(db: Db): Archives {
  const parts = modelOf(db, archivePartsModel);
  const blocks = modelOf(db, archiveBlocksModel);

  const find = async (job: string, part: number): Promise<Part | undefined> =>
    (await parts.findOne({ _id: partId(job, part) }).lean<PartDocument | null>()) ?? undefined;
  const blockAt = async (place: BlockPlace): Promise<Uint8Array> => {
    const found = await blocks.findOne({ _id: blockId(place) }).lean<BlockDocument | null>();
    if (!found) throw Fault.unavailable(`a block of the archive of ${place.job} is gone`);
    return bytesOf(found.bytes);
  };
  return {
    find,
    async storeBlock(place, bytes, at) {
      await blocks.create({ _id: blockId(place), at, bytes: asBuffer(bytes) });
    },
    async finish(job, number, part, at) {
      try {
        await parts.create({ _id: partId(job, number), part: number, at, ...part });
        return part;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return (await find(job, number))!;
      }
    },
    async *read(job, count, from) {
      let next = from.part;
      const ids = { $gte: partId(job, from.part), $lt: `${job}0` };
      const found = parts.find({ _id: ids }).sort({ _id: 1 }).lean().cursor() as AsyncIterable<PartDocument>;
      for await (const { part, attempt, blocks: stored } of found) {
        if (part !== next++) break;
        for (let block = part === from.part ? from.block : 0; block < stored; block++) {
          yield { bytes: await blockAt({ job, part, attempt, block }), next: { part, block: block + 1 } };
        }
      }
      if (next !== count) throw Fault.unavailable(`parts of the archive of ${job} are gone`);
    },
    async remove(jobs) {
      for (const job of jobs) {
        await parts.deleteMany({ _id: idsOf(job) });
        await blocks.deleteMany({ _id: idsOf(job) });
      }
    },
    async removeBefore(at) {
      await parts.deleteMany({ at: { $lt: at } });
      await blocks.deleteMany({ at: { $lt: at } });
    },
  };
}
