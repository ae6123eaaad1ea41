import { Columns } from './scan/columns.ts';
import { BatchWriter } from './emit/batch-writer.ts';

/** The buffers that one chunk is scanned into and written from. */
export interface Buffers {
  readonly columns: Columns;
  readonly writer: BatchWriter;
}

/** A pool of `count` reused pairs of buffers. It bounds both memory and the number of chunks in progress. */
export class BufferPool {
  readonly #free: Buffers[] = [];
  readonly #waiting: ((buffers: Buffers) => void)[] = [];
  #unmade: number;
  readonly #bytes: number | undefined;

  /** @param bytes of tokens and values in a pair of buffers; undefined = the columns' default */
  constructor(count: number, bytes?: number) {
    this.#unmade = count;
    this.#bytes = bytes;
  }

  async use<T>(work: (buffers: Buffers) => Promise<T>): Promise<T> {
    const buffers = await this.#take();
    try {
      return await work(buffers);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(buffers);
      else this.#free.push(buffers);
    }
  }

  #take(): Promise<Buffers> {
    const free = this.#free.pop();
    if (free) return Promise.resolve(free);
    if (this.#unmade > 0) {
      this.#unmade--;
      return Promise.resolve({ columns: new Columns(this.#bytes), writer: new BatchWriter() });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
