import type { Db } from 'mongodb';

const DUPLICATE_KEY = 11000;

/** A number for this process's ids that no other process of the same database got within its last 32 starts (`numberIds` of the kernel). */
export async function nextReplica(db: Db): Promise<number> {
  const sequences = db.collection<{ _id: string; next: number }>('sequences');
  const next = async (): Promise<number> => {
    const update = { $inc: { next: 1 } };
    const counted = await sequences.findOneAndUpdate({ _id: 'replica' }, update, {
      upsert: true,
      returnDocument: 'after',
    });
    return counted!.next;
  };
  return next().catch((error: { code?: unknown }) => {
    // Two first starts at once: the other one has made the document.
    if (error.code !== DUPLICATE_KEY) throw error;
    return next();
  });
}
