import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface Collection {
  readonly type: 'major';
  readonly execution: 'sync';
  readonly flavor: 'last-resort';
}

/**
 * Configures the heap for serving, once everything is loaded and open. Frees the memory left behind by the start, a third of the process (some 50
 * ms): otherwise V8 keeps a young generation of 64 MB that an idle process does not need; it grows again under load. Three further settings suit
 * services, which produce much garbage and little lasting data. First, the allocating thread collects the young generation: the four helpers that V8
 * would wake share little work and busy-wait, which took a tenth of the cost of a registration on two cores. Second, nothing is pretenured, as V8
 * does once objects have survived a few collections: it learns that from records that wait to be published together, and applies it to all garbage of
 * a request, which then keeps alive what it points to: ten times the data to move, two thirds of the time of young collections. Third, the old
 * generation may double before a full collection. V8 would permit a tenth, a few seconds' worth, because it counts only the main thread's time:
 * helpers mark in the background, and optimised code is dropped and compiled again.
 */
export function readyHeap(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (how: Collection) => void;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setFlagsFromString('--no-expose-gc');
  for (const flag of ['--no-parallel-scavenge', '--no-allocation-site-pretenuring', '--heap-growing-percent=100']) {
    setFlagsFromString(flag);
  }
}
