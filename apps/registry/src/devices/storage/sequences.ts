import { Fault, seqOf, TEST_CHUNK } from '@tidings/kernel';
import { isDuplicateKey } from '@tidings/mongo';
import type { Db } from 'mongodb';

export const SEQUENCES = 'sequences';
const LAST_SEQ = seqOf(TEST_CHUNK, 0) - 1;
const FIRST_BLOCK = 16;
const LARGEST_BLOCK = 1024;
/** Blocks used up sooner double, others halve. */
const BLOCK_LIFETIME_MS = 1000;

export interface Sequence {
  readonly _id: string;
  readonly next: number;
}

interface Block {
  next: number;
  end: number;
  size: number;
  reservedAt: number;
}

/** In order. A block's rest is lost when the process ends. */
export interface Sequences {
  take(application: string, count: number): Promise<number[]>;
}

export async function reserveNumbers(db: Db, sequence: string, count: number): Promise<number> {
  const sequences = db.collection<Sequence>(SEQUENCES);
  const update = { $inc: { next: count } };
  for (;;) {
    try {
      const after = await sequences.findOneAndUpdate({ _id: sequence }, update, {
        upsert: true,
        returnDocument: 'after',
      });
      // A version that halved odd blocks stored half numbers.
      return Math.ceil(after!.next - count);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }
}

export function openSequences(db: Db): Sequences {
  const blocks = new Map<string, Block>();
  const last = new Map<string, Promise<unknown>>();

  const reserve = async (application: string, count: number): Promise<number> => {
    const first = await reserveNumbers(db, application, count);
    if (first + count - 1 > LAST_SEQ) throw Fault.bug(`application ${application} has no device numbers left`);
    return first;
  };

  const sizeOf = (block: Block | undefined): number => {
    if (!block) return FIRST_BLOCK;
    const grown = performance.now() - block.reservedAt < BLOCK_LIFETIME_MS ? block.size * 2 : block.size >> 1;
    return Math.min(LARGEST_BLOCK, Math.max(FIRST_BLOCK, grown));
  };

  const take = async (application: string, count: number): Promise<number[]> => {
    const numbers: number[] = [];
    let block = blocks.get(application);
    while (block && block.next < block.end && numbers.length < count) numbers.push(block.next++);
    const missing = count - numbers.length;
    if (missing === 0) return numbers;
    const size = Math.max(sizeOf(block), missing);
    const first = await reserve(application, size);
    block = { next: first + missing, end: first + size, size, reservedAt: performance.now() };
    blocks.set(application, block);
    for (let i = 0; i < missing; i++) numbers.push(first + i);
    return numbers;
  };

  return {
    take(application, count) {
      const turn = (last.get(application) ?? Promise.resolve()).then(() => take(application, count));
      const settled = turn.catch(() => undefined);
      last.set(application, settled);
      void settled.then(() => last.get(application) === settled && last.delete(application));
      return turn;
    },
  };
}
