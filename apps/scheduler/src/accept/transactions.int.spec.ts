import { beforeAll, expect, it } from '@jest/globals';
import { ShiftedClock } from '@tidings/kernel';
import { createCollections } from '@tidings/mongo';
import { keysFrom } from '@tidings/runtime';
import { describeWithMongo, until } from '@tidings/testing';
import { collections } from '../collections.ts';
import { removeExpired } from '../messages/message-expiry.ts';
import { openTransactions, type Repeats, type Transactions } from './transactions.ts';

describeWithMongo('transactionIds', (mongo) => {
  const clock = new ShiftedClock();
  const { transaction: key } = keysFrom(new Uint8Array(32)).identity;
  /** Two processes. */
  let one: Transactions;
  let other: Transactions;
  const keyOf = (id: string): string => one.keyOf('a', id);
  const insertTransaction = (id: string, code: string) =>
    mongo.db
      .collection<{ _id: string }>('transactions')
      .insertOne({ _id: keyOf(id), code, answer: code, at: new Date(clock.now()) } as { _id: string });
  const later = (): number => performance.now() + 60_000;
  const over = (): number => performance.now();

  beforeAll(async () => {
    await createCollections(mongo.db, collections);
    one = openTransactions(mongo.db, clock, key);
    other = openTransactions(mongo.db, clock, key);
  });

  it('have keys of their account, and "" has none', () => {
    expect(new Set([keyOf('x'), keyOf('y'), one.keyOf('b', 'x')]).size).toBe(3);
    expect(one.keyOf('a', '')).toBe('');
  });

  it('serialize the requests that share one, each with the messages of the earlier ones', async () => {
    const unblocked = Promise.withResolvers<void>();
    const seen: string[][] = [];
    const record = (repeats: Repeats): void => void seen.push([...repeats.values()].map(({ code }) => code));
    const first = one.exclusively([keyOf('t1'), keyOf('t2')], async (repeats) => {
      record(repeats);
      await unblocked.promise;
      await insertTransaction('t2', 'M2');
    });
    const second = one.exclusively([keyOf('t2'), keyOf('t3')], async (repeats) => record(repeats));
    await one.exclusively([keyOf('t4')], async (repeats) => record(repeats));
    expect(seen).toEqual([[], []]);
    unblocked.resolve();
    await Promise.all([first, second]);
    expect(seen).toEqual([[], [], ['M2']]);
  });

  it('are free again after a failed request', async () => {
    const failed = one.exclusively([keyOf('f')], () => Promise.reject(new Error('refused')));
    const next = one.exclusively([keyOf('f')], async (repeats) => repeats.size);
    await expect(failed).rejects.toThrow('refused');
    expect(await next).toBe(0);
  });

  it('are reserved for one request, and free for others once it releases them', async () => {
    const { release } = await one.reserve([keyOf('r1'), keyOf('r2')], later());
    for (const ids of [['r2'], ['free', 'r1', 'r2']]) {
      const refused = { kind: 'unavailable', effect: 'none' };
      await expect(other.reserve(ids.map(keyOf), over())).rejects.toMatchObject(refused);
    }
    expect((await one.reserve([keyOf('free')], over())).repeats.size).toBe(0);
    const { repeats } = await other.reserve([keyOf('r3')], over());
    expect(repeats.size).toBe(0);
    await release();
    expect((await other.reserve([keyOf('r2')], over())).repeats.size).toBe(0);
  });

  it('are awaited until their message exists', async () => {
    await one.reserve([keyOf('w')], later());
    let answer: Repeats | undefined;
    const waiting = other.reserve([keyOf('w')], later()).then(({ repeats }) => (answer = repeats));
    await insertTransaction('w', 'MW');
    await until(() => answer !== undefined);
    expect([...(await waiting)]).toEqual([[keyOf('w'), { code: 'MW', answer: 'MW', repeat: true }]]);
  });

  it('are free 15 s after their process ended, and leave nothing', async () => {
    await one.reserve([keyOf('e')], later());
    clock.advance(15_000);
    expect((await other.reserve([keyOf('e')], over())).repeats.size).toBe(0);
    clock.advance(3_700_000);
    await removeExpired(mongo.db, clock.now());
    expect(await mongo.db.collection<{ _id: string }>('leases').countDocuments({ _id: /^transaction/ })).toBe(0);
  });
});
