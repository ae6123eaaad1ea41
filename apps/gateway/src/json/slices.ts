import { setImmediate as turn } from 'node:timers/promises';

const SLICE_MS = 10;

/** Concurrent work shares the event loop, one slice in each turn. */
let queue: Promise<unknown> = Promise.resolve();

const nextTurn = (): Promise<unknown> => (queue = queue.then(() => turn()));

export async function inSlices<Result>(steps: Iterator<void, Result>): Promise<Result> {
  let since = -Infinity;
  for (;;) {
    if (performance.now() - since >= SLICE_MS) {
      await nextTurn();
      since = performance.now();
    }
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
