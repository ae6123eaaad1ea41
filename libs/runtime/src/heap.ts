import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface Collection {
  readonly type: 'major';
  readonly execution: 'sync';
  readonly flavor: 'last-resort';
}

/**
 * Makes the heap ready to serve, once everything is loaded and open. Gives back the memory that this has left behind, a third of the
 * process (some 50 ms): left alone, V8 keeps a young generation of 64 MB that an idle process does not need; it grows again with the work.
 * From then on, because what services do leaves much garbage behind and little that stays:
 * - The young generation is collected by the thread that fills it. The four helpers that V8 would wake each time share little work and
 *   look for it all the while: a tenth of what a registration cost on two cores.
 * - Nothing is allocated as old from the start, which V8 begins to do where objects have outlived a few collections. Here it learns that
 *   from records that wait to be published together, and then does it to all that a request leaves behind. That was dead at once, but kept
 *   alive what it pointed to: ten times what had to be moved, two thirds of the time spent on collecting the young generation.
 * - The old generation may double before it is collected as a whole. V8 would allow it a tenth, a few seconds' worth, because it counts
 *   only the time of the main thread: helpers mark in the background, and optimized code is dropped and made again.
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
