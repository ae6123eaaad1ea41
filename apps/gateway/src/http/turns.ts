/** Reads something large and works on it, each in its turn. It counts as being read until the work is done: so long it is in memory. */
export const readInTurn = <Large, Result>(
  { reading, working }: { readonly reading: Turns; readonly working: Turns },
  read: () => Promise<Large>,
  work: (large: Large) => Promise<Result>,
): Promise<Result> =>
  reading.take(async () => {
    const large = await read();
    return working.take(() => work(large));
  });

/** Lets work on what is large go ahead in turns, so that memory is bounded however many callers there are. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param atOnce how many have their turn at a time */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Does the work when its turn has come; the next one's comes when it is done, failed or not. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
