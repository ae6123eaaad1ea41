import { describe, expect, it } from '@jest/globals';
import { nextRound } from './deletions.ts';

const DAY_MS = 86_400_000;

describe('nextLook (R-B2)', () => {
  it('waits for twice as long each time, until no more facts can arrive', () => {
    const looks: number[] = [];
    for (let at: number | undefined = 0; at !== undefined; at = nextRound(0, at)) looks.push(at);
    expect(looks.slice(0, 5)).toEqual([0, 10_000, 20_000, 40_000, 80_000]);
    expect(looks).toHaveLength(19);
    expect(looks.at(-1)! / DAY_MS).toBeGreaterThan(8);
    expect(looks.at(-1)! / DAY_MS).toBeLessThan(16);
  });

  it('checks once more after a long pause', () => {
    expect(nextRound(1000, 1000 + 3 * DAY_MS)).toBeGreaterThan(1000 + 3 * DAY_MS);
    expect(nextRound(1000, 1000 + 9 * DAY_MS)).toBeUndefined();
  });
});
