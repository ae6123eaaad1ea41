import { Semaphore } from '@tidings/coordination';
import { Columns } from '@tidings/registry-store';
import { BatchWriter } from './batch-writer.ts';

export interface Buffers {
  readonly columns: Columns;
  readonly writer: BatchWriter;
}

export class BufferPool {
  readonly #semaphore: Semaphore;
  readonly #free: Buffers[] = [];
  readonly #bytes: number | undefined;

  constructor(count: number, bytes?: number) {
    this.#semaphore = new Semaphore(count);
    this.#bytes = bytes;
  }

  use<T>(work: (buffers: Buffers) => Promise<T>): Promise<T> {
    return this.#semaphore.run(async () => {
      const buffers = this.#free.pop() ?? { columns: new Columns(this.#bytes), writer: new BatchWriter() };
      const result = await work(buffers);
      // A late scan of failed work may still write into its buffers, so they are not reused.
      this.#free.push(buffers);
      return result;
    });
  }
}
