/** Pseudo-random numbers from 0 to below 1, determined by the seed. */
export interface Drawn {
  readonly seed: number;
  readonly draw: () => number;
}

/** Random choices of a suite, with the seed in `CRASH_SEED`, else with a printed seed, so that a run can be reproduced. */
export function drawn(what: string): Drawn {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000_000);
  process.stderr.write(`${what} are drawn with CRASH_SEED=${seed}\n`);
  return { seed, draw: mulberry32(seed) };
}

/** A generator of numbers from 0 to below 1, determined by its seed. */
export function mulberry32(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
