import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Queue, roundRobin } from './round-robin.ts';

const queue = (account: string, application: string): Queue => ({ account, application });
const A = queue('x', 'A');
const B = queue('x', 'B');
const C = queue('x', 'C');
const D = queue('y', 'D');

const orderOf = (count: number, ...queues: Queue[]): string => {
  const robin = roundRobin();
  return Array.from({ length: count }, () => {
    const [next] = robin.order(queues);
    robin.begin(next!)();
    return next!.application;
  }).join('');
};

describe('turns', () => {
  it('rotate over the applications of an account', () => expect(orderOf(7, A, B, C)).toBe('ABCABCA'));

  it('rotate over the accounts first, for any number of applications', () =>
    expect(orderOf(8, A, B, C, D)).toBe('ADBDCDAD'));

  it('prefer queues without a running job, while turns overlap', () => {
    const robin = roundRobin();
    const ends = [robin.begin(A), robin.begin(B)];
    expect(robin.order([A, B, C])).toEqual([C, A, B]);
    ends[1]!();
    expect(robin.order([A, B])).toEqual([B, A]);
    ends[0]!();
    expect(robin.order([A, B])).toEqual([A, B]);
  });

  it('reach each waiting queue before any other has had two of them, whatever queues join and leave', () => {
    const names = ['A', 'B', 'C', 'D', 'E'];
    fc.assert(
      fc.property(fc.array(fc.subarray(names), { maxLength: 60 }), (rounds) => {
        const robin = roundRobin();
        const since = new Map<string, Map<string, number>>();
        for (const others of rounds) {
          const waiting = [...new Set(['W', ...others])];
          for (const name of since.keys()) if (!waiting.includes(name)) since.delete(name);
          for (const name of waiting) if (!since.has(name)) since.set(name, new Map());
          const [next] = robin.order(waiting.map((name) => queue('x', name)));
          robin.begin(next!)();
          since.set(next!.application, new Map());
          for (const [name, had] of since) {
            if (name === next!.application) continue;
            const times = (had.get(next!.application) ?? 0) + 1;
            had.set(next!.application, times);
            // A queue that left and came back is new: it stands at the end.
            expect(times).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });
});
