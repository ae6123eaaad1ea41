import { afterEach, describe, expect, it } from '@jest/globals';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { ownIdentity, type ProcessIdentity } from '@tidings/coordination';
import { Fault, ShiftedClock } from '@tidings/kernel';
import { UnknownOutcome } from '@tidings/mongo';
import { describeWithMongo, LONG_TIMEOUT, until } from '@tidings/testing';
import type { Collection, CollectionOptions, Db, Document, Filter, FindCursor, FindOptions, Sort } from 'mongodb';
import { faulty, lost } from '../mongo/faulty.features.ts';
import { openLogs } from '../mongo/open-logs.ts';
import type { CountingLogWriter } from '../log-options.ts';
import type { Commit } from '../event-log-port.ts';
import { type ThingCommand, type ThingEvent, type ThingReply, things } from '../things.features.ts';
import { openRelay, type Relay, type RelayOptions } from './open-relay.ts';
import type { Publisher } from './outbox.ts';
import { publishAgain, publishedSince } from './publish-again.ts';

class Published implements Publisher {
  readonly batches: { topic: string; values: string[] }[] = [];
  fail: (values: readonly string[]) => void = () => undefined;
  whilePublishing: () => Promise<void> = () => Promise.resolve();

  async publish(topic: string, records: readonly { readonly value: Uint8Array }[]): Promise<void> {
    const values = records.map(({ value }) => Buffer.from(value).toString());
    this.fail(values);
    this.batches.push({ topic, values });
    await new Promise(setImmediate);
    await this.whilePublishing();
  }

  get values(): string[] {
    return this.batches.flatMap(({ values }) => values);
  }

  seen(log: string): number[] {
    const seen: number[] = [];
    for (const value of this.values) {
      const [from, n] = value.split(' ');
      if (from === log && Number(n) > (seen.at(-1) ?? 0)) seen.push(Number(n));
    }
    return seen;
  }
}

const numbers = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

function delayed(db: Db, ready: () => Promise<void> | undefined): Db {
  const over = <T extends object>(target: T, wrapped: Readonly<Record<string, (...all: never[]) => unknown>>): T =>
    new Proxy(target, {
      get(_, property) {
        const value: unknown = wrapped[property as string] ?? Reflect.get(target, property, target);
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
      },
    });
  const cursor = (found: FindCursor): FindCursor =>
    over(found, {
      sort: (by: Sort) => cursor(found.sort(by)),
      toArray: async () => (await ready(), found.toArray()),
    });
  const heads = (collection: Collection): Collection =>
    over(collection, {
      find: (filter: Filter<Document>, options: FindOptions) => cursor(collection.find(filter, options)),
    });
  return over(db, {
    collection: (name: string, options?: CollectionOptions) =>
      name.endsWith('.heads') ? heads(db.collection(name, options)) : db.collection(name, options),
  });
}

function slowToLease(db: Db, times: number): Db {
  let remaining = times;
  const slow = (collection: Collection): Collection =>
    new Proxy(collection, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function') return value;
        if (remaining > 0 && property === 'findOne') return () => (remaining--, Promise.reject(lost()));
        return (value as () => unknown).bind(target);
      },
    });
  return new Proxy(db, {
    get(target, property) {
      if (property === 'collection') {
        return (name: string, options?: CollectionOptions) =>
          name === 'leases' ? slow(target.collection(name, options)) : target.collection(name, options);
      }
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
}

describeWithMongo('openRelay', (mongo) => {
  let databases = 0;
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });

  const newDb = (): Db => mongo.database(`relay${++databases}`);

  async function relayOn(
    db: Db,
    broker: Publisher,
    options: Partial<RelayOptions<ThingEvent>> = {},
  ): Promise<Relay<ThingEvent>> {
    const relay = await openRelay<ThingEvent>({
      db,
      category: things.category,
      decode: things.decode,
      isKnown: things.isKnown,
      broker,
      publish: ({ log, position }: Commit<ThingEvent>) => [
        { topic: 'things', key: log, value: Buffer.from(`${log} ${position}`) },
      ],
      checkEveryMs: 50,
      ...options,
    });
    open.push(relay);
    return relay;
  }

  function writerOn(db: Db, relay?: Relay<ThingEvent>): CountingLogWriter<ThingCommand, ThingReply> {
    const writer = openLogs(db, things, { ...LONG_TIMEOUT, ...(relay && { committed: relay.enqueue }) });
    open.push(writer);
    return writer;
  }

  async function commit(
    writer: CountingLogWriter<ThingCommand, ThingReply>,
    log: string,
    times: number,
  ): Promise<void> {
    for (let i = 0; i < times; i++) await writer.submit(log, { kind: 'name', id: `${log}/x`, name: `${i}` });
  }

  it('publishes the commits of this process in order without reading them back', async () => {
    const [db, broker] = [newDb(), new Published()];
    const relay = await relayOn(db, broker, { checkEveryMs: 3_600_000 });
    const writer = writerOn(db, relay);
    await Promise.all(['things-1', 'things-2', 'things-3'].map((log) => commit(writer, log, 20)));
    await until(() => relay.caughtUp());
    for (const log of ['things-1', 'things-2', 'things-3']) expect(broker.seen(log)).toEqual(numbers(20));
    expect(broker.values).toHaveLength(60);
    expect(relay.counts).toMatchObject({ commits: 60, records: 60, read: 0 });
  });

  it('reads earlier commits, and stores its progress', async () => {
    const [db, broker] = [newDb(), new Published()];
    const writer = writerOn(db);
    await commit(writer, 'things-1', 120);
    const relay = await relayOn(db, broker);
    await until(() => relay.caughtUp());
    expect(broker.seen('things-1')).toEqual(numbers(120));
    await relay.close();
    const heads = db.collection<{ _id: string; published: number }>('things.heads');
    expect(await heads.findOne({ _id: 'things-1' })).toMatchObject({ published: 120 });

    await commit(writer, 'things-1', 1);
    const later = new Published();
    const next = await relayOn(db, later);
    await until(() => next.caughtUp());
    expect(later.values).toEqual(['things-1 121']);
  });

  it('publishes the commits since a time again after a restore', async () => {
    const [db, broker, clock] = [newDb(), new Published(), new ShiftedClock()];
    const relay = await relayOn(db, broker);
    const writer = openLogs(db, things, { ...LONG_TIMEOUT, clock, committed: relay.enqueue });
    open.push(writer);
    await commit(writer, 'things-1', 3);
    clock.advance(3_600_000);
    await commit(writer, 'things-1', 2);
    await commit(writer, 'things-2', 1);
    await until(() => relay.caughtUp());
    await relay.close();

    clock.advance(3_600_000);
    await commit(writer, 'things-3', 1);
    const since = await publishedSince([db, newDb()], 1_800_000);
    expect([await publishAgain(db, since!), await publishAgain(db, since!)]).toEqual([3, 3]);
    const later = new Published();
    const next = await relayOn(db, later);
    await until(() => next.caughtUp());
    expect(later.values.toSorted()).toEqual(['things-1 4', 'things-1 5', 'things-2 1', 'things-3 1']);
    expect(await publishedSince([newDb()], 1_800_000)).toBeUndefined();
  });

  it('publishes all commits again after a restore with a repeated preparation, if all are recent', async () => {
    const [db, broker] = [newDb(), new Published()];
    const relay = await relayOn(db, broker);
    const writer = openLogs(db, things, { ...LONG_TIMEOUT, committed: relay.enqueue });
    open.push(writer);
    await commit(writer, 'things-1', 2);
    await until(() => relay.caughtUp());
    await relay.close();
    for (let times = 0; times < 2; times++) {
      const since = await publishedSince([db], 3_600_000);
      expect(await publishAgain(db, since!)).toBe(1);
    }
    const later = new Published();
    const next = await relayOn(db, later);
    await until(() => next.caughtUp());
    expect(later.values).toEqual(['things-1 1', 'things-1 2']);
  });

  it('is caught up only when everything is published', async () => {
    const [db, broker] = [newDb(), new Published()];
    broker.fail = () => {
      throw Fault.unavailable('not now');
    };
    const relay = await relayOn(db, broker);
    const writer = writerOn(db, relay);
    expect(await relay.caughtUp()).toBe(true);
    await commit(writer, 'things-1', 2);
    expect(await relay.caughtUp()).toBe(false);
    broker.fail = () => undefined;
    await until(() => relay.caughtUp());
    expect(broker.seen('things-1')).toEqual([1, 2]);
  });

  it('groups commits into one publish per topic', async () => {
    const [db, broker] = [newDb(), new Published()];
    const relay = await relayOn(db, broker);
    const writer = writerOn(db, relay);
    const logs = numbers(30).map((i) => `things-${i}`);
    await Promise.all(logs.map((log) => commit(writer, log, 5)));
    await until(() => relay.caughtUp());
    expect(broker.values).toHaveLength(150);
    expect(broker.batches.length).toBeLessThan(75);
  });

  it('keeps the order of a log when the broker fails in between', async () => {
    const [db, broker] = [newDb(), new Published()];
    let calls = 0;
    broker.fail = () => {
      if (calls++ % 3 === 0) throw Fault.unavailable('not now');
    };
    const relay = await relayOn(db, broker);
    const writer = writerOn(db, relay);
    await commit(writer, 'things-1', 10);
    await until(() => relay.caughtUp());
    expect(broker.seen('things-1')).toEqual(numbers(10));
  });

  it('skips a commit that cannot be converted to records, and stores it for later', async () => {
    const [db, broker, problems] = [newDb(), new Published(), [] as unknown[]];
    const relay = await relayOn(db, broker, {
      onProblem: (problem) => problems.push(problem),
      publish: ({ log, position }) => {
        if (position === 3) throw new TypeError('a defect');
        return [{ topic: 'things', key: log, value: Buffer.from(`${log} ${position}`) }];
      },
    });
    const writer = writerOn(db, relay);
    await commit(writer, 'things-1', 5);
    await until(() => relay.caughtUp());
    expect(broker.seen('things-1')).toEqual([1, 2, 4, 5]);
    expect(relay.counts.skipped).toBe(1);
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'bug' }));
    expect(await db.collection('things.unpublished').find().toArray()).toMatchObject([
      { _id: { log: 'things-1', position: 3 }, reason: expect.stringContaining('a defect') },
    ]);
  });

  it('skips only the commits that the broker refuses', async () => {
    const [db, broker] = [newDb(), new Published()];
    broker.fail = (values) => {
      if (values.includes('things-1 2')) throw Fault.tooLarge('a record too large');
    };
    const relay = await relayOn(db, broker);
    const writer = writerOn(db, relay);
    await Promise.all(['things-1', 'things-2'].map((log) => commit(writer, log, 4)));
    await until(() => relay.caughtUp());
    expect(broker.seen('things-1')).toEqual([1, 3, 4]);
    expect(broker.seen('things-2')).toEqual(numbers(4));
  });

  it('polls again soon after a poll without an answer from the store', async () => {
    const [db, broker, problems] = [newDb(), new Published(), [] as unknown[]];
    let away: Promise<void> | undefined;
    await relayOn(
      delayed(db, () => away),
      broker,
      { onProblem: (problem) => problems.push(problem) },
    );
    away = new Promise(() => undefined);
    await until(() => problems.length > 0);
    away = undefined;
    await commit(writerOn(db), 'things-1', 3);
    await until(() => broker.seen('things-1').length === 3);
  }, 30_000);

  describe('a relay with a second one', () => {
    it('publishes once, and at once after a commit of the other process', async () => {
      const [db, broker] = [newDb(), new Published()];
      // No looks: the change stream reports the commits.
      const holder = await relayOn(db, broker, { checkEveryMs: 3_600_000 });
      const standby = await relayOn(db, broker, { checkEveryMs: 3_600_000 });
      const [here, there] = [writerOn(db, holder), writerOn(db, standby)];
      await commit(here, 'things-1', 5);
      await until(async () => {
        await commit(there, 'things-2', 1); // The holder learns of the other at its next renewal.
        return broker.seen('things-2').length > 0;
      });
      await commit(there, 'things-3', 5);
      await until(() => broker.seen('things-3').length === 5);
      expect(broker.seen('things-1')).toEqual(numbers(5));
      expect(standby.counts.records).toBe(0);
      expect(new Set(broker.values).size).toBe(broker.values.length);
    });

    it('publishes commits of the other process made while it is publishing', async () => {
      const [db, broker] = [newDb(), new Published()];
      const holder = await relayOn(db, broker, { checkEveryMs: 3_600_000 });
      await relayOn(db, broker, { checkEveryMs: 3_600_000 });
      const remote = writerOn(db);
      await until(async () => {
        await commit(remote, 'things-0', 1); // The holder learns of the other at its next renewal.
        return broker.seen('things-0').length > 0;
      });
      await commit(remote, 'things-1', 1);
      await until(() => broker.seen('things-1').length === 1);
      const publishing = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      broker.whilePublishing = async () => {
        publishing.resolve();
        await release.promise;
      };
      await commit(remote, 'things-1', 1);
      await publishing.promise;
      await commit(remote, 'things-1', 1);
      // Commits are reported in order: the previous one is known as well.
      broker.whilePublishing = () => Promise.resolve();
      await commit(remote, 'things-2', 1);
      await until(() => holder.unpublished() > 1);
      release.resolve();
      await until(() => broker.seen('things-1').length === 3);
    });

    it('reports published positions to the other process at once', async () => {
      const [db, broker] = [newDb(), new Published()];
      const holder = await relayOn(db, broker, { checkEveryMs: 3_600_000 });
      const standby = await relayOn(db, broker, { checkEveryMs: 3_600_000 });
      await commit(writerOn(db, holder), 'things-1', 5);
      await until(() => holder.caughtUp());
      expect(await standby.caughtUp()).toBe(true);
      expect(broker.seen('things-1')).toEqual(numbers(5));
    });

    it('is idle once the other process can see all its published positions', async () => {
      const [db, broker] = [newDb(), new Published()];
      const holder = await relayOn(db, broker, { checkEveryMs: 3_600_000 });
      const standby = await relayOn(db, broker, { checkEveryMs: 3_600_000 });
      expect([await holder.idle(), await standby.idle()]).toEqual([true, true]);
      await commit(writerOn(db, holder), 'things-1', 5);
      await until(() => holder.idle());
      expect(await standby.caughtUp()).toBe(true);
      expect(broker.seen('things-1')).toEqual(numbers(5));
    });

    it('takes over at once after the other has closed', async () => {
      const [db, broker] = [newDb(), new Published()];
      const holder = await relayOn(db, broker);
      const standby = await relayOn(db, broker);
      const writer = writerOn(db);
      await commit(writer, 'things-1', 5);
      await until(() => holder.caughtUp());
      await holder.close();
      await commit(writer, 'things-1', 5);
      await until(() => standby.caughtUp());
      expect(standby.counts.commits).toBe(5);
      expect(broker.seen('things-1')).toEqual(numbers(10));
    });

    it('begins at the position of the other, whatever is committed meanwhile', async () => {
      const [db, broker] = [newDb(), new Published()];
      const holder = await relayOn(db, broker);
      const queried = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const slow = delayed(db, () => (queried.resolve(), release.promise));
      const standby = await relayOn(slow, broker, { onProblem: () => undefined });
      await commit(writerOn(db, holder), 'things-1', 5);
      await until(() => holder.caughtUp());
      await holder.close();
      await queried.promise;
      await commit(writerOn(db, standby), 'things-1', 1);
      release.resolve();
      await until(() => standby.caughtUp());
      expect(broker.values).toEqual(numbers(6).map((n) => `things-1 ${n}`));
    });

    it('repeats and never skips after one that has died or was isolated', async () => {
      const [db, broker] = [newDb(), new Published()];
      const cut = faulty(db);
      const clock = new ShiftedClock();
      const dying = await relayOn(cut.db, broker, { onProblem: () => undefined });
      const writer = writerOn(db, dying);
      await commit(writer, 'things-1', 5);
      await until(() => broker.values.length === 5);
      cut.die();
      await commit(writer, 'things-1', 5);
      await until(() => broker.values.length === 10);

      const successor = await relayOn(db, broker, { clock });
      await commit(writer, 'things-2', 3);
      expect(successor.counts.commits).toBe(0);
      clock.advance(10_001);
      await until(() => successor.caughtUp());
      expect(broker.seen('things-1')).toEqual(numbers(10));
      expect(broker.seen('things-2')).toEqual(numbers(3));
      expect(broker.values.length).toBeGreaterThan(13);
    });
  });

  it('opens on a busy server, and takes its lease after the answer', async () => {
    const [db, broker] = [newDb(), new Published()];
    const problems: unknown[] = [];
    const relay = await relayOn(slowToLease(db, 1), broker, { onProblem: (problem) => problems.push(problem) });
    expect(problems).toEqual([expect.any(UnknownOutcome)]);
    await commit(writerOn(db, relay), 'things-1', 3);
    await until(() => broker.values.length === 3);
  });

  it('succeeds a process that has ended at once, and no other one with its host name and process id', async () => {
    const own = ownIdentity()!;
    const later = new Date(Date.now() + 600_000);
    const lease = (identity: ProcessIdentity) => ({
      _id: 'relay/things',
      owner: 'another',
      until: later,
      process: identity,
      host: hostname(),
      pid: process.pid,
      startedAt: 1,
    });
    const [db, broker] = [newDb(), new Published()];
    const leases = db.collection<ReturnType<typeof lease>>('leases');
    await leases.insertOne(lease({ ...own, space: 'another container', startedAt: '1' }));
    const relay = await relayOn(db, broker);
    await commit(writerOn(db, relay), 'things-1', 3);
    await delay(300);
    expect(broker.values).toEqual([]);
    expect(await leases.findOne({ _id: 'relay/things' })).toMatchObject({ owner: 'another' });

    await leases.replaceOne({ _id: 'relay/things' }, lease({ ...own, startedAt: '1' }));
    const next = await relayOn(db, broker);
    await until(() => next.caughtUp());
    expect(broker.seen('things-1')).toEqual([1, 2, 3]);
    expect((await leases.findOne({ _id: 'relay/things' }))?.process).toEqual(own);
  });
});
