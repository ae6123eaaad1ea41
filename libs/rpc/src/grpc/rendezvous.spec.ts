import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rendezvous } from './rendezvous.ts';

const replicas = fc
  .uniqueArray(fc.ipV4(), { minLength: 1, maxLength: 8 })
  .map((names) => names.map((name) => ({ name })));
const namesFor = (key: string, of: readonly { readonly name: string }[]): string[] =>
  rendezvous(key, of).map(({ name }) => name);

describe('rendezvous hashing', () => {
  it('gives a key the same order for any order of the replicas', () => {
    fc.assert(
      fc.property(fc.string(), replicas, (key, of) => {
        expect(namesFor(key, of)).toEqual(namesFor(key, [...of].reverse()));
      }),
    );
  });

  it('moves no other keys when a replica leaves', () => {
    fc.assert(
      fc.property(fc.string(), replicas, fc.nat(), (key, of, n) => {
        const gone = of[n % of.length]!;
        const left = of.filter((replica) => replica !== gone);
        expect(namesFor(key, left)).toEqual(namesFor(key, of).filter((name) => name !== gone.name));
      }),
    );
  });

  it('spreads keys evenly', () => {
    const of = ['10.0.0.1:9090', '10.0.0.2:9090', '10.0.0.3:9090'].map((name) => ({ name }));
    const keys = Array.from({ length: 600 }, (_, i) => `devices-${i}`);
    const shares = Map.groupBy(keys, (key) => namesFor(key, of)[0]!);
    for (const { name } of of) expect(shares.get(name)!.length).toBeGreaterThan(150);
  });
});
