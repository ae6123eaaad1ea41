import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { registerOwner, unregisterOwner, ownIdentity } from '@tidings/coordination';
import { describeWithMongo, TestClock } from '@tidings/testing';
import { followHolder, Lease, leasesOf, openLease, reserve } from './mongo-lease.ts';

const LENGTH_MS = 10_000;

describeWithMongo('a lease', (mongo) => {
  const clock = new TestClock();
  let names = 0;
  const newName = (): string => `lease ${++names}`;
  const leaseOn = (name: string, reportsRivals = false): Lease =>
    new Lease(mongo.db, name, { clock, lengthMs: LENGTH_MS, reportsRivals });
  const stored = (name: string) => leasesOf(mongo.db).findOne({ _id: name });

  it('has one holder until it is over, however often it is renewed', async () => {
    const name = newName();
    const [first, second] = [leaseOn(name), leaseOn(name)];
    expect(await first.take()).toBe(true);
    clock.advance(6);
    expect(await first.take()).toBe(true);
    clock.advance(6);
    expect(await second.take()).toBe(false);
    expect([first.isHeld, second.isHeld]).toEqual([true, false]);
    clock.advance(6);
    expect(await second.take()).toBe(true);
    expect(await first.take()).toBe(false);
    expect([first.isHeld, second.isHeld]).toEqual([false, true]);
  });

  it('goes to one of many concurrent requests', async () => {
    const name = newName();
    const takers = Array.from({ length: 20 }, () => leaseOn(name));
    const acquired = await Promise.all(takers.map((taker) => taker.take()));
    expect(acquired.filter(Boolean)).toEqual([true]);
    clock.advance(11);
    const acquiredAgain = await Promise.all(takers.map((taker) => taker.take()));
    expect(acquiredAgain.filter(Boolean)).toEqual([true]);
  });

  it('may be taken at once after its release, and again by the same owner', async () => {
    const name = newName();
    const [first, second] = [leaseOn(name), leaseOn(name)];
    await first.take();
    await first.release();
    expect(first.isHeld).toBe(false);
    expect(await second.take()).toBe(true);
    await first.release();
    expect((await stored(name))?.until.getTime()).toBe(clock.now() + LENGTH_MS);
    await second.release();
    expect(await first.take()).toBe(true);
  });

  it('is not stored where the data have no other process, and lasts as long as these are held', async () => {
    const name = newName();
    const data = { isHeld: true };
    const lease = openLease(mongo.db, name, { clock, lengthMs: LENGTH_MS, exclusive: data });
    expect(lease.isHeld).toBe(false);
    expect(await lease.take()).toBe(true);
    expect([lease.isHeld, lease.hasRival, await stored(name)]).toEqual([true, false, null]);
    data.isHeld = false;
    expect([lease.isHeld, await lease.take()]).toEqual([false, false]);
    data.isHeld = true;
    expect(lease.isHeld).toBe(false);
    expect([await lease.take(), lease.isHeld]).toEqual([true, true]);
    await lease.release();
    expect(lease.isHeld).toBe(false);
  });

  it('belongs to its taker after an acquisition without an answer', async () => {
    const name = newName();
    let commands = 0;
    const withTimeout = async <T>(command: Promise<T>): Promise<T> => {
      const answer = await command;
      // The first take looks and then inserts.
      if (++commands === 2) throw new Error('no answer');
      return answer;
    };
    const lease = new Lease(mongo.db, name, { clock, lengthMs: LENGTH_MS, withTimeout });
    await expect(lease.take()).rejects.toThrow('no answer');
    expect(lease.isHeld).toBe(false);
    expect(await lease.take()).toBe(true);
    expect(await leaseOn(name).take()).toBe(false);
    expect(commands).toBe(3);
  });

  it('is taken over at once if its holder is known to have ended', async () => {
    const own = ownIdentity();
    if (!own) return;
    const name = newName();
    const until = new Date(clock.now() + LENGTH_MS);
    await leasesOf(mongo.db).insertOne({
      _id: name,
      owner: 'elsewhere',
      until,
      process: { ...own, space: 'elsewhere' },
    });
    expect(await leaseOn(name).take()).toBe(false);
    await leasesOf(mongo.db).updateOne({ _id: name }, { $set: { process: { ...own, startedAt: '1' } } });
    expect(await leaseOn(name).take()).toBe(true);
    const { id: living } = registerOwner('living');
    await leasesOf(mongo.db).updateOne({ _id: name }, { $set: { owner: living, process: own } });
    expect(await leaseOn(name).take()).toBe(false);
    unregisterOwner(living);
    expect(await leaseOn(name).take()).toBe(true);
  });

  it('is over when it was not renewed for its length, although the clock was set back', async () => {
    const [name, lengthMs] = [newName(), 300];
    const [holder, rival] = [1, 2].map(() => new Lease(mongo.db, name, { clock, lengthMs })) as [Lease, Lease];
    expect(await holder.take()).toBe(true);
    clock.advance(-3_600);
    expect(await rival.take()).toBe(false);
    const renewedUntil = performance.now() + 2 * lengthMs;
    while (performance.now() < renewedUntil) {
      clock.advance(0.01);
      expect(await holder.take()).toBe(true);
      expect(await rival.take()).toBe(false);
      await delay(20);
    }
    await delay(lengthMs + 20);
    expect(await rival.take()).toBe(true);
    expect(await holder.take()).toBe(false);
  });

  it('notifies its holder of a rival only if enabled, and for one length', async () => {
    for (const [reportsRivals, name] of [
      [true, newName()],
      [false, newName()],
    ] as const) {
      const [holder, rival] = [leaseOn(name, reportsRivals), leaseOn(name, reportsRivals)];
      await holder.take();
      await rival.take();
      await holder.take();
      expect(holder.hasRival).toBe(reportsRivals);
      clock.advance(6);
      await holder.take();
      clock.advance(6);
      await holder.take();
      expect(holder.hasRival).toBe(false);
    }
  });

  it('is taken over only as it was read', async () => {
    const name = newName();
    const leases = leasesOf(mongo.db);
    const at = (owner: string, seconds: number) => ({ _id: name, owner, until: new Date(seconds * 1000) });
    expect(await followHolder(leases, null, at('a', 1))).toBe(true);
    expect(await followHolder(leases, null, at('b', 1))).toBe(false);
    expect(await followHolder(leases, at('a', 2), at('b', 3))).toBe(false);
    expect(await followHolder(leases, at('a', 1), at('b', 3))).toBe(true);
    expect(await stored(name)).toEqual(at('b', 3));
  });

  it('is valid no longer than its length after the request for it', async () => {
    const short = new Lease(mongo.db, newName(), { clock, lengthMs: 1 });
    expect(await short.take()).toBe(true);
    const until = performance.now() + 1;
    while (performance.now() < until);
    expect(short.isHeld).toBe(false);
  });

  it('is reserved without a process until the time is over, and no longer', async () => {
    const name = newName();
    const reserveFor = (owner: string) => reserve(mongo.db, name, { owner, clock, lengthMs: LENGTH_MS });
    const first = await Promise.all(['a', 'b', 'c'].map(reserveFor));
    expect(first.filter(Boolean)).toEqual([true]);
    const owner = (await stored(name))!.owner;
    clock.advance(6);
    expect([await reserveFor(owner), await reserveFor('d')]).toEqual([true, false]);
    clock.advance(6);
    expect(await reserveFor('d')).toBe(false);
    clock.advance(6);
    expect(await reserveFor('d')).toBe(true);
  });
});
