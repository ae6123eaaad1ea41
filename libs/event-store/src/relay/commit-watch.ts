import type { ChangeStream, Collection, Db } from 'mongodb';
import type { CommitDocument } from '../mongo/commits.ts';

interface Inserted {
  readonly documentKey: { readonly _id: CommitDocument['_id'] };
}

const PATIENCE_MS = 20;

/** A hint only: it may miss commits. */
export class CommitWatch {
  readonly #commits: Collection;
  readonly #onCommit: (log: string, position: number) => void;
  readonly #heard = new Map<string, number>();
  #telling: NodeJS.Timeout | undefined;
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
      this.#heard.set(log, position);
      this.#telling ??= setTimeout(() => this.#tell(), PATIENCE_MS);
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
    clearTimeout(this.#telling);
    this.#telling = undefined;
    const stream = this.#stream;
    this.#stream = undefined;
    await stream?.close().catch(() => undefined);
  }

  #tell(): void {
    this.#telling = undefined;
    for (const [log, position] of this.#heard) this.#onCommit(log, position);
    this.#heard.clear();
  }
}
