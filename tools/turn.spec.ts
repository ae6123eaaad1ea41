import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { halves, otherHalf } from './turn.mjs';

const suites = halves.flatMap((half) => half.suites);

describe('the halves of which a run has one', () => {
  it('name suites that exist, each once', () => {
    expect(suites.filter((path) => !existsSync(join(import.meta.dirname, '..', path)))).toEqual([]);
    expect(new Set(suites).size).toBe(suites.length);
  });

  it('are left out in turn, and none by a run of all suites', () => {
    expect([0, 1, 2, 3].map((turn) => halves.indexOf(otherHalf(turn)))).toEqual([1, 0, 1, 0]);
    expect(otherHalf('both')).toEqual({ kafka: undefined, suites: [] });
  });
});
