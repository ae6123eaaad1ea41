import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, numberIds, REPLICAS } from '@tidings/kernel';
import { afterEach, expect, it } from '@jest/globals';
import { describeWithMongo } from '@tidings/testing';
import type { Db } from 'mongodb';
import { pino } from 'pino';
import { leaseReplica, type Replica, type ReplicaOptions } from './replica-lease.ts';

const log = pino({ level: 'silent' });
/** Renewed every second: longer than a busy store takes for a write. */
const BRIEF_MS = 6_000;

describeWithMongo('leaseReplica', (mongo) => {
  let databases = 0;
  const open: Replica[] = [];
  const newDb = (): Db => mongo.database(`replicas${++databases}`);
  const lease = async (db: Db, options: Partial<ReplicaOptions> = {}): Promise<Replica> => {
    const replica = await leaseReplica(db, { log, ...options });
    open.push(replica);
    return replica;
  };
  const forget = async (db: Db, ownersOf: readonly number[]): Promise<void> => {
    const ids = ownersOf.map((number) => `replica/${number}`);
    const leases = db.collection<{ _id: string; until: Date }>('leases');
    await leases.updateMany({ _id: { $in: ids } }, { $set: { until: new Date(Date.now() - 1) } });
  };

  afterEach(async () => {
    await Promise.all(open.splice(0).map((replica) => replica.close()));
  });

  it('assigns every living process a number of its own, and refuses one too many with a sentence', async () => {
    const db = newDb();
    const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => lease(db)));
    const numbers = replicas.map((replica) => replica.current());
    expect(new Set(numbers)).toEqual(new Set(Array.from({ length: REPLICAS }, (_, number) => number)));
    await expect(leaseReplica(db, { log })).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringMatching(
        /^All 32 numbers for processes that make ids in the database \S+ are taken: .* in \d+ s$/,
      ) as unknown as string,
    });
    let next: Replica | undefined;
    while (!next) {
      await forget(db, [7]);
      next = await lease(db).catch((error: Fault) => {
        if (error.kind !== 'conflict') throw error;
        return undefined;
      });
    }
    expect(next.current()).toBe(7);
  });

  it('frees a number when its process has ended, a moment after its last id', async () => {
    const db = newDb();
    const first = await leaseReplica(db, { log });
    expect(first.current()).toBe(0);
    await first.close();
    expect(first.current()).toBeUndefined();
    expect((await lease(db)).current()).toBe(1);
    await delay(2_500);
    expect((await lease(db)).current()).toBe(0);
  });

  it('issues no ids to a resumed process until it has a number again', async () => {
    const db = newDb();
    const frozen = await lease(db, { leaseMs: BRIEF_MS });
    const next = numberIds(() => Date.now(), frozen);
    next();
    // The whole process freezes, timers and all, until its lease is nearly over.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.75 * BRIEF_MS);
    expect(next).toThrow(expect.objectContaining({ kind: 'unavailable' }));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.35 * BRIEF_MS);
    expect(next).toThrow(expect.objectContaining({ kind: 'unavailable' }));

    const other = await lease(db);
    expect(other.current()).toBeDefined();
    for (let tries = 0; frozen.current() === undefined; tries++) {
      expect(tries).toBeLessThan(1_500);
      await delay(20);
    }
    expect(frozen.current()).not.toBe(other.current());
    expect(next()).not.toBe(numberIds(() => Date.now(), other)());
  });

  it('takes another number if another process has taken its own', async () => {
    const db = newDb();
    const slow = await lease(db, { leaseMs: BRIEF_MS });
    await db.collection<{ _id: string }>('leases').updateOne({ _id: 'replica/0' }, { $set: { owner: 'another' } });
    for (let tries = 0; slow.current() !== 1; tries++) {
      expect(tries).toBeLessThan(1_500);
      await delay(20);
    }
  });
});
