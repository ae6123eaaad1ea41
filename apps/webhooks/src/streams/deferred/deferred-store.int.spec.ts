import { beforeEach, describe, expect, it } from '@jest/globals';
import { randomBase62 } from '@tidings/kernel';
import { createCollections } from '@tidings/mongo';
import { describeWithMongo } from '@tidings/testing';
import type { Db } from 'mongodb';
import { deferredModel } from './deferred.schema.ts';
import { memoryDeferred } from '../../testing/memory-deferred.ts';
import type { DeferredPair, DeferredStore } from './deferred-store.ts';
import { type DeferredStores, openDeferred } from './mongo-deferred.ts';

const event = (n: number, enqueuedAt = n) => ({ n, e: 0, d: 0, enqueuedAt });
const pair = (key: string, at: number, ...events: DeferredPair['events']): DeferredPair => ({
  key,
  at,
  events,
  failures: 3,
});

function deferredStoreFeatures(open: () => Promise<DeferredStore>): void {
  let store: DeferredStore;
  beforeEach(async () => {
    store = await open();
    await store.add([pair('a', 30, event(3), event(4), event(9)), pair('b', 20, event(5)), pair('c', 10, event(7))]);
  });
  const soonest = async () => (await store.soonest(10)).map(({ key, events: [first] }) => `${key}${first!.n}`);

  it('counts events, and returns the last one of each pair', async () => {
    expect(await store.size()).toBe(5);
    const last = await store.lastOf(['a', 'b', 'x']);
    expect([...last].map(([key, { n }]) => [key, n])).toEqual([
      ['a', 9],
      ['b', 5],
    ]);
  });

  it('lists pairs by their times, with their first two events', async () => {
    expect(await soonest()).toEqual(['c7', 'b5', 'a3']);
    expect(await store.soonest(1)).toMatchObject([{ key: 'c', at: 10, failures: 3, events: [event(7)] }]);
    expect(await store.oldest(1)).toMatchObject([{ key: 'a', events: [event(3), event(4)] }]);
  });

  it('appends to a pair, and does not change its time', async () => {
    await store.add([pair('c', 99, event(8)), pair('d', 5, event(8))]);
    expect(await soonest()).toEqual(['d8', 'c7', 'b5', 'a3']);
    expect(await store.soonest(2)).toMatchObject([{ key: 'd' }, { key: 'c', at: 10, events: [event(7), event(8)] }]);
  });

  it('postpones a pair that failed, and continues with the next event of a completed one', async () => {
    await store.apply([
      { kind: 'failed', key: 'c', failures: 4, at: 40 },
      { kind: 'over', key: 'a', event: event(3), next: event(4) },
      { kind: 'over', key: 'b', event: event(5) },
    ]);
    expect(await soonest()).toEqual(['a4', 'c7']);
    expect(await store.soonest(10)).toMatchObject([
      { failures: 0, at: 0 },
      { failures: 4, at: 40 },
    ]);
    expect(await store.size()).toBe(3);
  });

  it('makes pairs due that wait beyond a limit', async () => {
    expect([await store.makeDue(30), await store.makeDue(15), await store.makeDue(15)]).toEqual([0, 2, 0]);
    expect((await store.soonest(3)).map(({ key, at }) => [key, at])).toEqual(
      expect.arrayContaining([
        ['a', 0],
        ['b', 0],
        ['c', 10],
      ]),
    );
  });

  it('changes nothing for an event that is completed already', async () => {
    const over = { kind: 'over', key: 'a', event: event(3), next: event(4) } as const;
    await store.apply([over]);
    await store.apply([{ kind: 'failed', key: 'a', failures: 1, at: 50 }]);
    await store.apply([over]);
    expect(await store.soonest(3)).toMatchObject([{ key: 'c' }, { key: 'b' }, { key: 'a', failures: 1, at: 50 }]);
  });
}

describe('the store of deferred events in memory', () => deferredStoreFeatures(async () => memoryDeferred()));

describeWithMongo('the store of deferred events in MongoDB', (mongo) => {
  const since = new Date('2026-01-15T12:00:00Z');
  let db: Db;
  let stores: DeferredStores;
  const opened = async () => {
    db = mongo.database(randomBase62(6));
    await createCollections(db, [deferredModel]);
    stores = openDeferred(db);
    return stores.of({ id: 's', since });
  };

  describe('one stream', () => deferredStoreFeatures(opened));

  it('separates the events of streams', async () => {
    const one = await opened();
    const other = stores.of({ id: 's', since: new Date(since.getTime() + 1) });
    const another = stores.of({ id: 's2', since });
    const sizes = () => Promise.all([one, other, another].map((each) => each.size()));
    for (const each of [one, other, another])
      await each.add([pair('m/A/0/1', 0, event(1)), pair('m/B/0/1', 0, event(2))]);
    await one.apply([{ kind: 'over', key: 'm/A/0/1', event: event(1) }]);
    expect(await sizes()).toEqual([1, 2, 2]);
    await stores.purge([{ message: 'm', application: 'B' }]);
    expect(await sizes()).toEqual([0, 1, 1]);
    await stores.removeExcept([
      { id: 's', since },
      { id: 's2', since },
    ]);
    expect(await sizes()).toEqual([0, 0, 1]);
    await stores.remove('s2');
    expect(await sizes()).toEqual([0, 0, 0]);
  });

  it('corrects the age of a pair whose next event was unknown', async () => {
    const store = await opened();
    await store.add([pair('a', 0, event(1)), pair('b', 0, event(2))]);
    await store.add([pair('a', 0, event(5))]);
    await store.apply([{ kind: 'over', key: 'a', event: event(1) }]);
    await store.oldest(2);
    expect((await store.oldest(2)).map(({ key }) => key)).toEqual(['b', 'a']);
  });
});
