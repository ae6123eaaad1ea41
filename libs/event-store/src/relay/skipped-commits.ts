import type { Collection, Db } from 'mongodb';
import { withTimeout } from '../mongo/with-timeout.ts';

export interface SkippedCommitDocument {
  readonly _id: { readonly log: string; readonly position: number };
  readonly reason: string;
  readonly at: Date;
}

export class SkippedCommits {
  readonly #collection: Collection<SkippedCommitDocument>;

  constructor(db: Db, category: string) {
    this.#collection = db.collection(`${category}.unpublished`);
  }

  async record(log: string, position: number, error: unknown): Promise<void> {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const update = { $setOnInsert: { reason, at: new Date() } };
    const options = { upsert: true, writeConcern: { w: 'majority', journal: true } } as const;
    await withTimeout(this.#collection.updateOne({ _id: { log, position } }, update, options));
  }
}
