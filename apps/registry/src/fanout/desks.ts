import { Columns } from './columns.ts';
import { BatchWriter } from './emit.ts';

/** Where one chunk is worked on: the buffers that it is scanned into and written from. */
export interface Desk {
  readonly columns: Columns;
  readonly writer: BatchWriter;
}

/** Desks that are used again, `count` of them: this bounds both memory and how many chunks are under way. */
export class Desks {
  readonly #free: Desk[] = [];
  readonly #waiting: ((desk: Desk) => void)[] = [];
  #unmade: number;
  readonly #bytes: number | undefined;

  /** @param bytes of tokens and values that a desk holds; undefined = the columns' default */
  constructor(count: number, bytes?: number) {
    this.#unmade = count;
    this.#bytes = bytes;
  }

  async use<T>(work: (desk: Desk) => Promise<T>): Promise<T> {
    const desk = await this.#take();
    try {
      return await work(desk);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(desk);
      else this.#free.push(desk);
    }
  }

  #take(): Promise<Desk> {
    const free = this.#free.pop();
    if (free) return Promise.resolve(free);
    if (this.#unmade > 0) {
      this.#unmade--;
      return Promise.resolve({ columns: new Columns(this.#bytes), writer: new BatchWriter() });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
