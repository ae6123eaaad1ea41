import { Semaphore } from '@tidings/coordination';
import { Columns } from '@tidings/registry-store';
import { BatchWriter } from './batch-writer.ts';

/** The buffers that one chunk is scanned into and written from. */
export interface Buffers {
  readonly columns: Columns;
  readonly writer: BatchWriter;
}

/** A pool of `count` reused pairs of buffers. It bounds both memory and the number of chunks in progress. */
export class BufferPool {
  readonly #semaphore: Semaphore;
  /** Made when all others were in use. */
  readonly #free: Buffers[] = [];
  readonly #bytes: number | undefined;

  /** @param bytes the bytes of tokens and values in a pair of buffers; undefined = the columns' default */
  constructor(count: number, bytes?: number) {
    this.#semaphore = new Semaphore(count);
    this.#bytes = bytes;
  }

  /** Does the work with a pair that nobody else has, when one is free. */
  use<T>(work: (buffers: Buffers) => Promise<T>): Promise<T> {
    return this.#semaphore.run(async () => {
      const buffers = this.#free.pop() ?? { columns: new Columns(this.#bytes), writer: new BatchWriter() };
      const result = await work(buffers);
      // Buffers of failed work are not reused: another part of it, such as a scan that the store answers late, may still write into them. The
      // message that is planned next in them would then reach devices of another one.
      this.#free.push(buffers);
      return result;
    });
  }
}
