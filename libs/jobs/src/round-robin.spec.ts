import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Queue, roundRobin } from './round-robin.ts';

const queue = (account: string, application: string): Queue => ({ account, application });
const A = queue('x', 'A');
const B = queue('x', 'B');
const C = queue('x', 'C');
const D = queue('y', 'D');

/** Whose turns come, one after the other, while these queues wait. */
const turnsOf = (count: number, ...queues: Queue[]): string => {
  const turns = roundRobin();
  return Array.from({ length: count }, () => {
    const [next] = turns.order(queues);
    turns.begin(next!)();
    return next!.application;
  }).join('');
};

describe('turns', () => {
  it('go round the applications of an account', () => expect(turnsOf(7, A, B, C)).toBe('ABCABCA'));

  it('go round the accounts first, however many applications each has', () =>
    expect(turnsOf(8, A, B, C, D)).toBe('ADBDCDAD'));

  it('go first to queues without a running job, while turns overlap', () => {
    const turns = roundRobin();
    const ends = [turns.begin(A), turns.begin(B)];
    expect(turns.order([A, B, C])).toEqual([C, A, B]);
    ends[1]!();
    expect(turns.order([A, B])).toEqual([B, A]);
    ends[0]!();
    expect(turns.order([A, B])).toEqual([A, B]);
  });

  it('come to each that waits before any other has had two of them, whoever comes and goes', () => {
    const names = ['A', 'B', 'C', 'D', 'E'];
    fc.assert(
      fc.property(fc.array(fc.subarray(names), { maxLength: 60 }), (rounds) => {
        const turns = roundRobin();
        /** Turns of each other application since one has begun to wait. */
        const since = new Map<string, Map<string, number>>();
        for (const others of rounds) {
          const waiting = [...new Set(['W', ...others])];
          for (const name of since.keys()) if (!waiting.includes(name)) since.delete(name);
          for (const name of waiting) if (!since.has(name)) since.set(name, new Map());
          const [next] = turns.order(waiting.map((name) => queue('x', name)));
          turns.begin(next!)();
          since.set(next!.application, new Map());
          for (const [name, had] of since) {
            if (name === next!.application) continue;
            const times = (had.get(next!.application) ?? 0) + 1;
            had.set(next!.application, times);
            // One that left and came back is new: it stands at the end.
            expect(times).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });
});
