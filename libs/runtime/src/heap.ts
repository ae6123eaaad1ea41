import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface Collection {
  readonly type: 'major';
  readonly execution: 'sync';
  readonly flavor: 'last-resort';
}

/** README, Heap. */
export function tuneHeap(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (how: Collection) => void;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setFlagsFromString('--no-expose-gc');
  for (const flag of ['--no-parallel-scavenge', '--no-allocation-site-pretenuring', '--heap-growing-percent=100']) {
    setFlagsFromString(flag);
  }
}
