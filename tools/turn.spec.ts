import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isInTurn, modeInTurn, otherQuarters, quarters } from './turn.mjs';

const suites = quarters.flat();
const numbers = [0, 1, 2, 3, 4, 5, 6, 7];

describe('the quarters of the selection', () => {
  it('name suites that exist, each once', () => {
    expect(suites.filter((path) => !existsSync(join(import.meta.dirname, '..', path)))).toEqual([]);
    expect(new Set(suites).size).toBe(suites.length);
  });

  it('are excluded except that of the turn, and included in a run of all suites', () => {
    const run = numbers.map((turn) => suites.filter((path) => !otherQuarters(turn).includes(path)));
    expect(run).toEqual([...quarters, ...quarters]);
    expect(otherQuarters('all')).toEqual([]);
  });
});

describe('the other suites with a store', () => {
  it('are each in one of two turns that are four apart, and all in a run of all suites', () => {
    for (const turn of numbers.slice(0, 4))
      for (const i of numbers) expect([isInTurn(turn, i), isInTurn(turn + 4, i)].toSorted()).toEqual([false, true]);
    expect(numbers.every((i) => isInTurn('all', i))).toBe(true);
  });

  it('are as many in every turn', () => {
    expect(numbers.map((turn) => numbers.filter((i) => isInTurn(turn, i)).length)).toEqual(numbers.map(() => 4));
  });
});

describe('the modes of a suite of the whole system', () => {
  it.each(numbers)('are each tested in one of four turns: suite %i', (i) => {
    for (const four of [numbers.slice(0, 4), numbers.slice(4)])
      expect(four.flatMap((turn) => modeInTurn(turn, i) ?? []).toSorted()).toEqual(['distributed', 'embedded']);
  });

  it('are as many in every turn', () => {
    const counts = numbers.map((turn) =>
      ['embedded', 'distributed'].map(
        (mode) => Array.from({ length: 8 }, (_, i) => modeInTurn(turn, i)).filter((each) => each === mode).length,
      ),
    );
    expect(counts).toEqual(numbers.map(() => [2, 2]));
  });
});
