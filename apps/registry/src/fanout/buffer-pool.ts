import { Columns } from './scan/columns.ts';
import { BatchWriter } from './emit/batch-writer.ts';

/** Where one chunk is worked on: the buffers that it is scanned into and written from. */
export interface Buffers {
  readonly columns: Columns;
  readonly writer: BatchWriter;
}

/** A pool of `count` pairs of buffers that are used again. It bounds both memory and how many chunks are under way. */
export class BufferPool {
  readonly #free: Buffers[] = [];
  readonly #waiting: ((buffers: Buffers) => void)[] = [];
  #unmade: number;
  readonly #bytes: number | undefined;

  /** @param bytes of tokens and values that a pair of buffers holds; undefined = the columns' default */
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
