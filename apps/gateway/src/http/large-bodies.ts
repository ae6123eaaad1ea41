import type { IncomingMessage } from 'node:http';
import { type Admission, readLargeBody, weightOf } from './body.ts';
import { Turns } from './turns.ts';

/** Bodies that are taken apart at a time: that takes several times their size. */
const TAKEN_AT_ONCE = 1;

/**
 * Bounds the memory that large bodies take, whoever sends them. Small ones, and the first MiB of any, wait for nothing; what is large is held
 * from there until the work on it is done.
 */
export class LargeBodies {
  readonly #holding: Turns;
  readonly #taking = new Turns(TAKEN_AT_ONCE);

  /** @param bytes of large bodies at a time, at least those of the largest */
  constructor(bytes: number) {
    this.#holding = new Turns(bytes);
  }

  /**
   * Reads a body, which may be packed, and does the work on it.
   * @throws Fault `tooLarge` over the limit, `throttled` where a slow one is in the way of others.
   */
  async take<T>(request: IncomingMessage, limit: number, work: (bytes: Buffer) => Promise<T>): Promise<T> {
    let turn: Promise<() => void> | undefined;
    const admission: Admission = {
      admit: () => (turn = this.#holding.begin(weightOf(request, limit))),
      crowded: () => this.#holding.crowded,
    };
    try {
      const bytes = await readLargeBody(request, limit, admission);
      return await (turn ? this.#taking.take(() => work(bytes)) : work(bytes));
    } finally {
      // One that has not come yet passes.
      void turn?.then((end) => end());
    }
  }
}
