import type { Collection, Db } from 'mongodb';
import { answered } from '../mongo/answers.ts';

export interface PassedOverDocument {
  readonly _id: { readonly log: string; readonly position: number };
  readonly reason: string;
  readonly at: Date;
}

export class PassedOver {
  readonly #collection: Collection<PassedOverDocument>;

  constructor(db: Db, category: string) {
    this.#collection = db.collection(`${category}.unpublished`);
  }

  async keep(log: string, position: number, error: unknown): Promise<void> {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const update = { $setOnInsert: { reason, at: new Date() } };
    const options = { upsert: true, writeConcern: { w: 'majority', journal: true } } as const;
    await answered(this.#collection.updateOne({ _id: { log, position } }, update, options));
  }
}
