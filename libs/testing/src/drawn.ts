export interface Drawn {
  readonly seed: number;
  readonly draw: () => number;
}

/** The seed is `CRASH_SEED`, else a printed one: a run can be reproduced. */
export function drawn(subject: string): Drawn {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000_000);
  process.stderr.write(`${subject} are drawn with CRASH_SEED=${seed}\n`);
  return { seed, draw: mulberry32(seed) };
}

export function mulberry32(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
