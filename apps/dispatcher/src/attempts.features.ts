import { beforeEach, describe, expect, it } from '@jest/globals';
import { apnsRefusal, claimed, noResults, type Progress, type Rest, resultsOf, sent } from '@tidings/delivery';
import type { AttemptStore } from './attempts.ts';

const results = resultsOf([
  { position: 3, platform: 1, hour: 5, displayable: false, verdict: sent, deadToken: undefined, since: undefined },
  {
    position: 4,
    platform: 1,
    hour: 5,
    displayable: true,
    verdict: apnsRefusal(410, '{"reason":"Unregistered"}').verdict,
    deadToken: 'ab',
    since: 7,
  },
]);
const last = apnsRefusal(503, '{"reason":"ServiceUnavailable"}').verdict;
const progress = (dueAt: number, more: Partial<Progress> = {}): Progress => ({
  ...{ tries: 1, dueAt, repaired: false, last: undefined },
  ...more,
});
const rest: Rest = {
  batch: new Uint8Array([1, 2, 3]),
  progress: [progress(9000), progress(7000, { tries: 2, last }), progress(9000), progress(8000, { repaired: true })],
};

/** What a store of attempts does, whatever it is made of. */
export function attemptStoreFeatures(name: string, open: () => Promise<AttemptStore>): void {
  describe(`attempts ${name}`, () => {
    let store: AttemptStore;
    beforeEach(async () => void (store = await open()));

    const claim = (id: string, owner: string) => store.claim(id, 'broadcast', claimed(owner, 1000, noResults));

    it('are claimed once, however many claim them at the same time', async () => {
      const owners = ['a', 'b', 'c', 'd'];
      const before = await Promise.all(owners.map((owner) => claim('w', owner)));
      const winners = owners.filter((_, i) => before[i] === undefined);
      expect(winners).toHaveLength(1);
      const losers = before.filter((attempt) => attempt !== undefined);
      expect(losers).toEqual(losers.map(() => claimed(winners[0]!, 1000, noResults)));
    });

    it('that collide cost the others nothing', async () => {
      await claim('taken', 'a');
      const before = await Promise.all(['new', 'taken', 'newer'].map((id) => claim(id, 'b')));
      expect(before.map((attempt) => attempt === undefined)).toEqual([true, false, true]);
    });

    it('are settled by their owner, who may repeat it', async () => {
      await claim('w', 'a');
      expect(await store.settle('w', 'b', results, 2000)).toBe(false);
      expect(await store.settle('w', 'a', results, 2000)).toBe(true);
      expect(await claim('w', 'c')).toEqual({ state: 'settled', claimedAt: 1000, results, settledAt: 2000 });
    });

    it('are settled side by side, each by its own owner', async () => {
      await Promise.all(['x', 'y', 'z'].map((id) => claim(id, `owner of ${id}`)));
      const kept = await Promise.all([
        store.settle('x', 'owner of x', results, 2000),
        store.settle('y', 'somebody', results, 2000),
        store.rest('z', 'owner of z', noResults, rest),
      ]);
      expect(kept).toEqual([true, false, true]);
    });

    it('wait with all that they need until the first device is due', async () => {
      await claim('w', 'a');
      expect(await store.rest('w', 'a', results, rest)).toBe(true);
      expect(await store.wake('broadcast', 'b', 6999, 10)).toEqual([]);
      expect([await store.due('broadcast', 6999, 10), await store.due('broadcast', 7000, 10)]).toEqual([0, 1]);
      expect(await store.due('direct', 7000, 10)).toBe(0);
      expect(await store.wake('direct', 'b', 7000, 10)).toEqual([]);
      const [woken] = await store.wake('broadcast', 'b', 7000, 10);
      const { batch, progress: got } = woken!.attempt.rest!;
      expect(woken).toMatchObject({ id: 'w', attempt: { state: 'claimed', owner: 'b', claimedAt: 1000, results } });
      expect([...batch]).toEqual([1, 2, 3]);
      expect(got.map(({ tries, dueAt, repaired }) => [tries, dueAt, repaired])).toEqual(
        rest.progress.map(({ tries, dueAt, repaired }) => [tries, dueAt, repaired]),
      );
      expect(got[1]?.last).toMatchObject({ category: last.category, code: last.code, name: last.name });
      expect(got[0]?.last).toBeUndefined();
    });

    it('that wait are woken by one, the longest due first', async () => {
      for (const [id, dueAt] of [
        ['late', 500],
        ['early', 100],
        ['middle', 300],
      ] as const) {
        await claim(id, 'a');
        await store.rest(id, 'a', noResults, { batch: new Uint8Array([1]), progress: [progress(dueAt)] });
      }
      const [first, second] = await Promise.all(['b', 'c'].map((owner) => store.wake('broadcast', owner, 1000, 2)));
      const ids = [...first!, ...second!].map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(['early']));
      const others = await store.wake('broadcast', 'd', 1000, 10);
      expect(ids.length + others.length).toBe(3);
    });

    it('show what waits to those who meet them', async () => {
      await claim('w', 'a');
      await store.rest('w', 'a', results, rest);
      expect(await claim('w', 'b')).toMatchObject({ state: 'rest', claimedAt: 1000, results, dueAt: 7000 });
    });

    it('change hands once', async () => {
      await claim('w', 'a');
      const taken = await Promise.all(['b', 'c'].map((owner) => store.takeOver('w', 'a', owner)));
      expect(taken.filter((attempt) => attempt !== undefined)).toHaveLength(1);
      expect(await store.settle('w', 'a', results, 2000)).toBe(false);
    });

    it('keep what they waited with when they are taken over after waking', async () => {
      await claim('w', 'a');
      await store.rest('w', 'a', results, rest);
      await store.wake('broadcast', 'b', 7000, 1);
      const taken = await store.takeOver('w', 'b', 'c');
      expect(taken).toMatchObject({ state: 'claimed', owner: 'c', results });
      expect(taken?.rest?.progress).toHaveLength(4);
    });
  });
}
