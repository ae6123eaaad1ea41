import type { ChangeStream, Collection, Db } from 'mongodb';
import type { CommitDocument } from '../mongo/commits.ts';

interface Inserted {
  readonly documentKey: { readonly _id: CommitDocument['_id'] };
}

const BATCH_DELAY_MS = 20;

/** A hint only: it may miss commits. */
export class CommitWatch {
  readonly #commits: Collection;
  readonly #onCommit: (log: string, position: number) => void;
  readonly #positions = new Map<string, number>();
  #notifyTimer: NodeJS.Timeout | undefined;
  #stream: ChangeStream | undefined;

  constructor(db: Db, category: string, onCommit: (log: string, position: number) => void) {
    this.#commits = db.collection(`${category}.commits`, { readConcern: { level: 'majority' } });
    this.#onCommit = onCommit;
  }

  open(onError: (error: unknown) => void): boolean {
    if (this.#stream) return false;
    const inserts = [{ $match: { operationType: 'insert' } }, { $project: { documentKey: 1 } }];
    const stream = this.#commits.watch(inserts);
    this.#stream = stream;
    stream.on('change', (change) => {
      const { log, position } = (change as unknown as Inserted).documentKey._id;
      this.#positions.set(log, position);
      this.#notifyTimer ??= setTimeout(() => this.#notify(), BATCH_DELAY_MS);
    });
    const ended = (): void => {
      if (this.#stream === stream) void this.close();
    };
    stream.on('close', ended);
    stream.on('error', (error) => {
      onError(error);
      ended();
    });
    return true;
  }

  async close(): Promise<void> {
    clearTimeout(this.#notifyTimer);
    this.#notifyTimer = undefined;
    const stream = this.#stream;
    this.#stream = undefined;
    await stream?.close().catch(() => undefined);
  }

  #notify(): void {
    this.#notifyTimer = undefined;
    for (const [log, position] of this.#positions) this.#onCommit(log, position);
    this.#positions.clear();
  }
}
