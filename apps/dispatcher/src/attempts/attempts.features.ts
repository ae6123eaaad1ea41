import { beforeEach, describe, expect, it } from '@jest/globals';
import { apnsRefusal, sent } from '@tidings/channels';
import { claimed, noResults, type Progress, type Deferral, type Deferred, resultsOf, untried } from '@tidings/delivery';
import type { AttemptStore } from './attempts.ts';

const results = resultsOf([
  { position: 3, platform: 1, hour: 5, displayable: false, result: sent, deadToken: undefined, since: undefined },
  {
    position: 4,
    platform: 1,
    hour: 5,
    displayable: true,
    result: apnsRefusal(410, '{"reason":"Unregistered"}').result,
    deadToken: 'ab',
    since: 7,
  },
]);
const last = apnsRefusal(503, '{"reason":"ServiceUnavailable"}').result;
const progress = (dueAt: number, more: Partial<Progress> = {}): Progress => ({
  ...untried,
  tries: 1,
  firstTriedAt: 500,
  dueAt,
  ...more,
});
const deferral: Deferral = {
  batch: new Uint8Array([1, 2, 3]),
  progress: [
    progress(9000),
    progress(7000, { tries: 2, last }),
    progress(9000, { outcomeUnknown: true }),
    progress(8000, { refreshed: true }),
  ],
  blockedUntil: 0,
  answersUntil: 0,
};
const of = (owner: string) => ({ owner, round: 1 });
const broadcast = { lane: 'broadcast', credential: 'AAAAA-00000/1' } as const;

export function attemptStoreFeatures(name: string, open: () => Promise<AttemptStore>): void {
  describe(`attempts ${name}`, () => {
    let store: AttemptStore;
    beforeEach(async () => void (store = await open()));

    const claim = (id: string, owner: string) => store.claim(id, broadcast, claimed(owner, 1000, noResults));

    it('are claimed once by concurrent claims', async () => {
      const owners = ['a', 'b', 'c', 'd'];
      const before = await Promise.all(owners.map((owner) => claim('w', owner)));
      const winners = owners.filter((_, i) => before[i] === undefined);
      expect(winners).toHaveLength(1);
      const losers = before.filter((attempt) => attempt !== undefined);
      expect(losers).toEqual(losers.map(() => claimed(winners[0]!, 1000, noResults)));
    });

    it('are found by their slice', async () => {
      await claim('w', 'a');
      expect(await store.find('w')).toEqual(claimed('a', 1000, noResults));
      expect(await store.find('v')).toBeUndefined();
    });

    it('do not affect the others if they collide', async () => {
      await claim('taken', 'a');
      const before = await Promise.all(['new', 'taken', 'newer'].map((id) => claim(id, 'b')));
      expect(before.map((attempt) => attempt === undefined)).toEqual([true, false, true]);
    });

    it('are settled by their owner, which may repeat the call', async () => {
      await claim('w', 'a');
      expect(await store.settle('w', of('b'), results, 2000)).toBe(false);
      expect(await store.settle('w', of('a'), results, 2000)).toBe(true);
      expect(await claim('w', 'c')).toEqual({ state: 'settled', claimedAt: 1000, results, settledAt: 2000 });
    });

    it('are settled concurrently, each by its own owner', async () => {
      await Promise.all(['x', 'y', 'z'].map((id) => claim(id, `owner of ${id}`)));
      const kept = await Promise.all([
        store.settle('x', of('owner of x'), results, 2000),
        store.settle('y', of('somebody'), results, 2000),
        store.defer('z', of('owner of z'), noResults, deferral),
      ]);
      expect(kept).toEqual([true, false, true]);
    });

    const due = async (lane: 'broadcast' | 'direct', now: number, limit = 10, except: string[] = []) =>
      (await store.due(lane, now, limit, except)).map(({ id }) => id);

    it('are deferred with all their data until the first device is due', async () => {
      await claim('w', 'a');
      expect(await store.defer('w', of('a'), results, deferral)).toBe(true);
      expect(await store.resume('w', 'b', 6999)).toBeUndefined();
      expect([await due('broadcast', 6999), await due('broadcast', 7000)]).toEqual([[], ['w']]);
      expect(await due('direct', 7000)).toEqual([]);
      expect(await store.due('broadcast', 7000, 10, [])).toEqual([
        { id: 'w', credential: broadcast.credential, devices: 4, dueAt: 7000, awaitsAnswers: false },
      ]);
      const resumed = await store.resume('w', 'b', 7000);
      expect(resumed).toMatchObject({ state: 'claimed', owner: 'b', round: 2, claimedAt: 1000, results });
      expect([...resumed!.deferral!.batch]).toEqual([1, 2, 3]);
      const withoutLast = ({ last: _, ...each }: Progress): Partial<Progress> => each;
      expect(resumed!.deferral!.progress.map(withoutLast)).toEqual(deferral.progress.map(withoutLast));
      const lastResults = resumed!.deferral!.progress.map((each) => each.last);
      expect(lastResults[1]).toMatchObject({ category: last.category, code: last.code, name: last.name });
      expect(lastResults[0]).toBeUndefined();
    });

    it('are deferred for as long as they are blocked, or until the cause has ended', async () => {
      for (const [id, credential, answersUntil] of [
        ['u', 'w', 9700],
        ['v', 'v', 0],
        ['w', 'w', 0],
      ] as const) {
        await store.claim(id, { ...broadcast, credential }, claimed('a', 1000, noResults));
        await store.defer(id, of('a'), noResults, { ...deferral, blockedUntil: 9500, answersUntil });
      }
      expect(await due('broadcast', 9499)).toEqual([]);
      await store.makeDue('direct', ['w'], 8000);
      await store.makeDue('broadcast', ['x', 'w'], 8000);
      expect(await due('broadcast', 8000)).toEqual(['w']);
      expect((await store.resume('w', 'b', 8000))?.deferral?.blockedUntil).toBe(0);
      expect((await store.resume('v', 'b', 9500))?.deferral?.blockedUntil).toBe(9500);
      expect([await due('broadcast', 9699), await due('broadcast', 9700)]).toEqual([[], ['u']]);
    });

    it('become due one by one, or all together, if they are blocked', async () => {
      for (const id of ['u', 'v', 'w']) {
        await claim(id, 'a');
        await store.defer(id, of('a'), noResults, { ...deferral, blockedUntil: 9500 });
      }
      await store.makeOneDue('broadcast', 'another', 8000);
      await store.makeOneDue('direct', broadcast.credential, 8000);
      expect(await due('broadcast', 8000)).toEqual([]);
      await store.makeOneDue('broadcast', broadcast.credential, 8000);
      expect(await due('broadcast', 8000)).toHaveLength(1);
      await store.makeOneDue('broadcast', broadcast.credential, 8000);
      expect(await due('broadcast', 8000)).toHaveLength(2);
      await store.makeDue('broadcast', [broadcast.credential], 8000);
      expect(await due('broadcast', 8000)).toHaveLength(3);
    });

    it('are deferred without a claim if nothing was written, unless they are claimed', async () => {
      const deferred: Deferred = {
        state: 'deferred',
        ...of('a'),
        claimedAt: 1000,
        results: noResults,
        dueAt: 9500,
        deferral: { ...deferral, blockedUntil: 9500 },
      };
      expect(await store.claim('w', broadcast, deferred)).toBeUndefined();
      expect(await store.claim('w', broadcast, deferred)).toMatchObject({ state: 'deferred', owner: 'a', dueAt: 9500 });
      expect(await due('broadcast', 9500)).toEqual(['w']);
    });

    it('are claimed by one worker if they are deferred, the longest due first, except some credentials', async () => {
      for (const [id, dueAt, credential] of [
        ['late', 500, 'x'],
        ['early', 100, 'y'],
        ['middle', 300, 'x'],
      ] as const) {
        await store.claim(id, { lane: 'broadcast', credential }, claimed('a', 1000, noResults));
        const waits = { batch: new Uint8Array([1]), progress: [progress(dueAt)], blockedUntil: 0, answersUntil: 0 };
        await store.defer(id, of('a'), noResults, waits);
      }
      expect(await due('broadcast', 1000)).toEqual(['early', 'middle', 'late']);
      expect(await due('broadcast', 1000, 2)).toEqual(['early', 'middle']);
      expect(await due('broadcast', 1000, 1, ['y', 'z'])).toEqual(['middle']);
      const resumed = await Promise.all(['b', 'c', 'd'].map((owner) => store.resume('early', owner, 1000)));
      expect(resumed.filter((attempt) => attempt !== undefined)).toHaveLength(1);
      expect(await due('broadcast', 1000)).toEqual(['middle', 'late']);
    });

    it('are due again, with their devices, if they were deferred before the clock was set back', async () => {
      for (const [id, dueAt, answersUntil] of [
        ['soon', 1_500, 0],
        ['held', 90_000, 0],
        ['awaited', 80_000, 80_000],
      ] as const) {
        await claim(id, 'a');
        const waits = { batch: new Uint8Array([1]), progress: [progress(dueAt)], blockedUntil: dueAt, answersUntil };
        await store.defer(id, of('a'), noResults, waits);
      }
      await store.dueAgain('direct', { beyond: 0, now: 1_000, answersForMs: 300 });
      await store.dueAgain('broadcast', { beyond: 2_000, now: 1_000, answersForMs: 300 });
      expect([await due('broadcast', 1_000), await due('broadcast', 1_300)]).toEqual([['held'], ['held', 'awaited']]);
      const resumed = await store.resume('held', 'b', 1_000);
      expect(resumed).toMatchObject({ resumedAt: 1_000, deferral: { progress: [{ dueAt: 1_000 }], blockedUntil: 0 } });
      expect(await due('broadcast', 1_499)).toEqual(['awaited']);
      expect(await due('broadcast', 1_500)).toEqual(['awaited', 'soon']);
    });

    it('accept late answers while they are deferred, from the claim that deferred them', async () => {
      await claim('w', 'a');
      await store.defer('w', of('a'), noResults, deferral);
      const fewer = { ...deferral, progress: deferral.progress.slice(0, 1) };
      expect(await store.amend('w', of('b'), results, fewer)).toBe(false);
      expect(await store.amend('w', of('a'), results, fewer)).toBe(true);
      expect(await store.due('broadcast', 9000, 1, [])).toMatchObject([{ id: 'w', devices: 1 }]);
      expect(await due('broadcast', 8999)).toEqual([]);
      expect(await store.finish('w', of('b'), results, 2000)).toBe(false);
      expect(await store.finish('w', of('a'), results, 2000)).toBe(true);
      expect(await claim('w', 'c')).toMatchObject({ state: 'settled', claimedAt: 1000, results, settledAt: 2000 });
    });

    it('accept no late answers once they are claimed again, even by the same owner', async () => {
      await claim('w', 'a');
      await store.defer('w', of('a'), noResults, deferral);
      const resumed = await store.resume('w', 'a', 7000);
      expect(await store.amend('w', of('a'), results, deferral)).toBe(false);
      expect(await store.finish('w', of('a'), results, 2000)).toBe(false);
      await store.defer('w', resumed!, noResults, deferral);
      expect(await store.amend('w', of('a'), results, deferral)).toBe(false);
      expect(await store.finish('w', of('a'), results, 2000)).toBe(false);
    });

    it('show a deferred slice to a new claim', async () => {
      await claim('w', 'a');
      await store.defer('w', of('a'), results, deferral);
      expect(await claim('w', 'b')).toMatchObject({ state: 'deferred', claimedAt: 1000, results, dueAt: 7000 });
    });

    it('keep recorded results for the worker that takes them over, from the owner of the claim alone', async () => {
      await claim('w', 'a');
      expect(await store.progress('w', of('b'), results)).toBe(false);
      expect(await store.progress('w', of('a'), noResults)).toBe(true);
      expect(await store.progress('w', of('a'), results)).toBe(true);
      expect(await store.find('w')).toEqual(claimed('a', 1000, results));
      const takeover = await store.takeOver('w', 'a', 'b');
      expect(takeover).toEqual({ ...claimed('b', 1000, results), round: 2 });
      expect(await store.progress('w', of('a'), noResults)).toBe(false);
      expect(await store.find('w')).toEqual(takeover);
      expect(await store.settle('w', takeover!, results, 2000)).toBe(true);
      expect(await store.progress('w', takeover!, noResults)).toBe(false);
      expect(await store.find('w')).toEqual({ state: 'settled', claimedAt: 1000, results, settledAt: 2000 });
    });

    it('forget recorded results when they are deferred with others', async () => {
      await claim('w', 'a');
      await store.progress('w', of('a'), results);
      await store.defer('w', of('a'), noResults, deferral);
      expect(await store.resume('w', 'b', 7000)).toMatchObject({ owner: 'b', round: 2, results: noResults });
      expect(await store.takeOver('w', 'b', 'c')).toMatchObject({ round: 3, results: noResults });
    });

    it('change owners once', async () => {
      await claim('w', 'a');
      const takeover = await Promise.all(['b', 'c'].map((owner) => store.takeOver('w', 'a', owner)));
      expect(takeover.filter((attempt) => attempt !== undefined)).toHaveLength(1);
      expect(await store.settle('w', of('a'), results, 2000)).toBe(false);
    });

    it('are listed with their owner if they were claimed again, and only then', async () => {
      await claim('w', 'a');
      await claim('v', 'a');
      await store.defer('w', of('a'), results, deferral);
      expect(await store.unpublished('broadcast', 10)).toEqual([]);
      await store.resume('w', 'b', 7000);
      expect(await store.unpublished('broadcast', 10)).toEqual([
        { id: 'w', owner: 'b', credential: broadcast.credential, devices: 4, isSettled: false },
      ]);
      expect(await store.unpublished('direct', 10)).toEqual([]);
    });

    it('are listed when settled after a deferral, with that, until their outcome is published', async () => {
      for (const id of ['u', 'v', 'w']) await claim(id, 'a');
      await store.settle('u', of('a'), results, 2000);
      for (const id of ['v', 'w']) await store.defer(id, of('a'), noResults, deferral);
      await store.finish('v', of('a'), results, 2000);
      const resumed = await store.resume('w', 'b', 7000);
      await store.settle('w', resumed!, results, 8000);
      const listed = async () =>
        (await store.unpublished('broadcast', 10)).map(({ id, owner }) => [id, owner]).toSorted();
      expect(await store.unpublished('broadcast', 10)).toMatchObject([{ isSettled: true }, { isSettled: true }]);
      expect(await listed()).toEqual([
        ['v', 'a'],
        ['w', 'b'],
      ]);
      expect([...(await store.find('w'))!.deferral!.batch]).toEqual([1, 2, 3]);
      await Promise.all([store.published('w'), store.published('u')]);
      expect(await listed()).toEqual([['v', 'a']]);
      expect(await store.find('w')).toEqual({ state: 'settled', claimedAt: 1000, results, settledAt: 8000 });
    });

    it('keep their deferral when they are taken over after resuming', async () => {
      await claim('w', 'a');
      await store.defer('w', of('a'), results, deferral);
      await store.resume('w', 'b', 7000);
      const takeover = await store.takeOver('w', 'b', 'c');
      expect(takeover).toMatchObject({ state: 'claimed', owner: 'c', round: 3, results });
      expect(takeover?.deferral?.progress).toHaveLength(4);
    });
  });
}
