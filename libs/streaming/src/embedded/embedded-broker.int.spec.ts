import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { ownIdentity, type ProcessIdentity } from '@tidings/coordination';
import { randomBase62, ShiftedClock } from '@tidings/kernel';
import { mongoOptions } from '@tidings/mongo';
import { describeWithMongo, until } from '@tidings/testing';
import { type Db, type Document, MongoClient } from 'mongodb';
import { brokerFeatures } from '../broker.features.ts';
import { type BrokerWorld, HOUR_MS, keysOf, records } from '../features/broker-under-test.ts';
import { housekeepingFeatures } from '../features/housekeeping.features.ts';
import type { Broker, TopicSpec } from '../broker-port.ts';
import { type EmbeddedBroker, type EmbeddedBrokerOptions, openEmbeddedBroker } from './embedded-broker.ts';

const LEASES = 'streaming.lease';

const deadPid = (): number => spawnSync(process.execPath, ['--version']).pid;

const earlier = (pid = process.pid): ProcessIdentity => ({ ...ownIdentity()!, pid, startedAt: '1' });

const bury = (db: Db): Promise<unknown> =>
  db.collection<{ _id: string }>(LEASES).updateOne({ _id: 'holder' }, { $set: { process: earlier(deadPid()) } });

function bound(target: object, property: string | symbol): unknown {
  const value: unknown = Reflect.get(target, property, target);
  return typeof value === 'function' ? (value.bind(target) as unknown) : value;
}

class EmbeddedWorld implements BrokerWorld {
  readonly clock = new ShiftedClock();
  readonly db: Db;
  readonly #url: string;
  readonly #clients = new Map<Broker, MongoClient>();

  constructor({ url, database }: { readonly url: string; database(name: string): Db }) {
    this.#url = url;
    this.db = database(randomBase62(8));
  }

  async open(topics: readonly TopicSpec[], options: Partial<EmbeddedBrokerOptions> = {}): Promise<EmbeddedBroker> {
    const client = await MongoClient.connect(this.#url, mongoOptions);
    const { databaseName } = this.db;
    try {
      const broker = await openEmbeddedBroker({
        db: client.db(databaseName),
        clock: this.clock,
        topics,
        owner: 'spec',
        ...options,
      });
      this.#clients.set(broker, client);
      return broker;
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  async crash(broker: Broker): Promise<void> {
    await this.#clients.get(broker)?.close(true);
    await bury(this.db);
  }

  async maintain(broker: Broker): Promise<void> {
    await (broker as EmbeddedBroker).trim();
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close(true)));
    await this.db.dropDatabase();
  }
}

describeWithMongo('brokers on MongoDB', (mongo) => {
  brokerFeatures('embedded broker', async () => new EmbeddedWorld(mongo), housekeepingFeatures);
});

describeWithMongo('embedded broker on MongoDB, beyond the features of every broker', (mongo) => {
  let world: EmbeddedWorld;
  let brokers: EmbeddedBroker[];
  const topic = 'tidings.things';
  const topics: TopicSpec[] = [{ name: topic, kind: 'facts', partitions: 1, retentionMs: HOUR_MS }];
  const values = (...texts: (string | number)[]) => records('a', ...texts);

  const open = async (options: Partial<EmbeddedBrokerOptions> = {}): Promise<EmbeddedBroker> => {
    const broker = await world.open(topics, options);
    brokers.push(broker);
    return broker;
  };
  const listen = async (broker: Broker, group: string, onBatch?: () => unknown): Promise<string[]> => {
    const got: string[] = [];
    await broker.subscribe({
      group,
      topics: [topic],
      async handler({ records }) {
        await onBatch?.();
        got.push(...records.map(({ value }) => Buffer.from(value).toString()));
      },
    });
    return got;
  };

  const intercepted = (before: (command: Document, run: () => Promise<Document>) => Promise<Document>): Db =>
    new Proxy(world.db, {
      get(db, property) {
        if (property === 'command') {
          return (command: Document, options?: object) => before(command, () => db.command(command, options));
        }
        return bound(db, property);
      },
    });

  beforeEach(() => {
    world = new EmbeddedWorld(mongo);
    brokers = [];
  });

  afterEach(async () => {
    for (const broker of brokers) await broker.close().catch(() => undefined);
    await world.dispose();
  });

  it('is unavailable while the disk is full, and refuses no record', async () => {
    let isFull = true;
    const db = intercepted(async (command, run) => {
      const documents = command['documents'] as { readonly records?: unknown }[] | undefined;
      if (!isFull || !documents?.[0]?.records) return run();
      const full = { code: 8, errmsg: '28: No space left on device' };
      return { ok: 1, n: 0, writeErrors: documents.map((_, index) => ({ index, ...full })) };
    });
    const broker = await open({ db });
    await expect(broker.publish(topic, values(1))).rejects.toMatchObject({ kind: 'unavailable' });
    isFull = false;
    expect(await broker.publish(topic, values(1))).toEqual([{ partition: 0, offset: 0 }]);
  });

  describe('lease', () => {
    const leases = () => world.db.collection<{ _id: string }>(LEASES);
    const holder = (fields: object) => leases().insertOne({ _id: 'holder', ...fields });

    it('refuses a second process while the first one lives', async () => {
      const first = await open();
      await expect(open()).rejects.toMatchObject({
        kind: 'conflict',
        message: expect.stringContaining(`in use by process ${process.pid} on ${hostname()}`) as string,
      });
      expect(await first.publish(topic, values(1))).toHaveLength(1);
    });

    it('is taken over at once from a dead process on this host', async () => {
      await holder({ process: earlier(deadPid()), epoch: 'x', renewed: new Date(), ttlMs: 600_000 });
      await open();
    });

    it('is taken over at once from an earlier process with the same pid', async () => {
      await holder({ process: earlier(), epoch: 'x', renewed: new Date(), ttlMs: 600_000 });
      // Others are waited for until their lease expires, longer than a test.
      await open();
    });

    it.each([
      ['on another host', 'elsewhere', process.pid],
      // Containers share process numbers, and host names repeat.
      ['in another container that has the same host name and number', hostname(), process.pid],
      ['in another container that has the same host name and a number that nobody has here', hostname(), deadPid()],
    ])('is taken over from a process %s when it is over', async (_, host, pid) => {
      const renewed = new Date();
      const other = { ...earlier(pid), space: 'another machine pid:[1] ' };
      await holder({ host, pid, process: other, epoch: 'x', renewed, ttlMs: 1_500 });
      await open();
      expect(Date.now()).toBeGreaterThan(renewed.getTime() + 1_500);
    });

    it('is over when it was not renewed, although the clock was set back', async () => {
      const renewed = new Date(Date.now() + HOUR_MS);
      const [from, ttlMs] = [performance.now(), 500];
      await holder({ host: 'elsewhere', pid: 1, epoch: 'x', renewed, ttlMs });
      await open();
      expect(performance.now() - from).toBeGreaterThan(ttlMs);
    });

    it('refuses a second process while the first one renews it by a clock that was set back', async () => {
      let renewedAt = Date.now() + 2 * HOUR_MS;
      await holder({ host: 'elsewhere', pid: 1, epoch: 'x', renewed: new Date(renewedAt), ttlMs: 10_000 });
      const renewing = setInterval(() => {
        renewedAt -= 1_000;
        void leases().updateOne({ _id: 'holder' }, { $set: { renewed: new Date(renewedAt) } });
      }, 50);
      try {
        await expect(open()).rejects.toMatchObject({ kind: 'conflict' });
      } finally {
        clearInterval(renewing);
      }
    });

    it('is released on close', async () => {
      await (await open()).close();
      expect(await leases().countDocuments({ _id: 'holder' })).toBe(0);
    });

    it('never gives an offset to two writers, and loses nothing that was acknowledged', async () => {
      let lost = false;
      const stale = await open({ onLost: () => (lost = true) });
      await stale.publish(topic, values('before'));
      await bury(world.db);
      const fresh = await open();
      const got = await listen(fresh, 'g');
      const acknowledged: string[] = [];
      const offsets: number[] = [];
      const write = async (broker: Broker, name: string): Promise<void> => {
        for (let i = 0; i < 40; i++) {
          const positions = await broker.publish(topic, values(`${name}-${i}`));
          offsets.push(...positions.map(({ offset }) => offset));
          acknowledged.push(`${name}-${i}`);
        }
      };
      await Promise.all([write(stale, 'stale').catch(() => undefined), write(fresh, 'fresh')]);
      await fresh.publish(topic, values('after'));
      await until(() => got.includes('after'));
      expect(new Set(offsets).size).toBe(offsets.length);
      expect(got).toEqual(expect.arrayContaining(acknowledged));
      expect(new Set(got).size).toBe(got.length);
      await until(() => lost);
      await expect(stale.publish(topic, values('late'))).rejects.toMatchObject({ kind: 'unavailable' });
    });
  });

  describe('the loss of the lease', () => {
    it('acknowledges no later write', async () => {
      let lost = false;
      let blocked = 0;
      const db = intercepted(async (command, run) => {
        if ('insert' in command) {
          blocked++;
          await until(() => lost);
        }
        return run();
      });
      const stale = await open({ db, onLost: () => (lost = true) });
      const publishing = stale.publish(topic, values('too late'));
      await until(() => blocked === 1);
      await bury(world.db);
      await open();
      await expect(publishing).rejects.toMatchObject({ kind: 'unavailable' });
    });

    it('ends an open whose log is still loading', async () => {
      const [loading, lost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let isTaken = false;
      const commands = intercepted(async (command, run) => {
        // Loading reads the last batch of each partition.
        if ('aggregate' in command) {
          loading.resolve();
          await lost.promise;
        }
        return run();
      });
      const leases = new Proxy(world.db.collection(LEASES), {
        get: (collection, property) =>
          property === 'updateOne'
            ? async (...renewal: Parameters<typeof collection.updateOne>) => {
                const updated = await collection.updateOne(...renewal);
                if (isTaken) lost.resolve();
                return updated;
              }
            : bound(collection, property),
      });
      const db = new Proxy(commands, {
        get: (all, property) =>
          property === 'collection'
            ? (name: string) => (name === LEASES ? leases : all.collection(name))
            : bound(all, property),
      });
      const opening = expect(open({ db })).rejects.toThrow('Another process has taken over the log');
      await loading.promise;
      await bury(world.db);
      await open();
      isTaken = true;
      await opening;
    });

    it('stops deliveries', async () => {
      let lost = false;
      const stale = await open({ onLost: () => (lost = true) });
      const got = await listen(stale, 'g');
      await bury(world.db);
      const fresh = await open();
      await until(() => lost);
      await fresh.publish(topic, values('for the other one'));
      const theirs = await listen(fresh, 'g');
      await until(() => theirs.length === 1);
      expect(got).toEqual([]);
      await expect(listen(stale, 'g')).rejects.toMatchObject({ kind: 'unavailable' });
    });
  });

  describe('group commit', () => {
    it('writes records that are published together in few inserts', async () => {
      let inserts = 0;
      const db = intercepted((command, run) => {
        if ('insert' in command) inserts++;
        return run();
      });
      const broker = await open({ db });
      await Promise.all(Array.from({ length: 200 }, (_, i) => broker.publish(topic, values(i))));
      expect(inserts).toBe(1);
      const first = broker.publish(topic, values('x'));
      await Promise.resolve();
      const others = Array.from({ length: 100 }, (_, i) => broker.publish(topic, values(i)));
      await Promise.all([first, ...others]);
      expect(inserts).toBeLessThanOrEqual(3);
    });

    it('spreads a large publication over batches without a gap', async () => {
      const broker = await open();
      const positions = await broker.publish(topic, values(...Array.from({ length: 12_000 }, (_, i) => i)));
      expect(positions.map(({ offset }) => offset)).toEqual(Array.from({ length: 12_000 }, (_, i) => i));
      expect(await world.db.collection('streaming.batches').countDocuments()).toBe(3);
    });

    it('continues behind a batch with an unknown outcome', async () => {
      let deaf = true;
      const db = intercepted(async (command, run) => {
        const reply = await run();
        if (deaf && 'insert' in command) throw new Error('connection reset');
        return reply;
      });
      const broker = await open({ db });
      const got = await listen(broker, 'g');
      await expect(broker.publish(topic, values('unknown'))).rejects.toMatchObject({ kind: 'unavailable' });
      deaf = false;
      expect(await broker.publish(topic, values('known'))).toEqual([{ partition: 0, offset: 1 }]);
      await until(() => got.length === 2);
      expect(got).toEqual(['unknown', 'known']);
    });

    it('leaves no gap if a batch was not written', async () => {
      let broken = true;
      const db = intercepted((command, run) =>
        broken && 'insert' in command ? Promise.reject(new Error('connection refused')) : run(),
      );
      const broker = await open({ db });
      await expect(broker.publish(topic, values('lost'))).rejects.toMatchObject({ kind: 'unavailable' });
      broken = false;
      expect(await broker.publish(topic, values('kept'))).toEqual([{ partition: 0, offset: 0 }]);
    });
  });

  describe('reading', () => {
    it('serves groups that lag from the store if memory does not suffice', async () => {
      const broker = await open({ memoryBytes: 40_000 });
      let release!: () => void;
      const stuck = new Promise<void>((resolve) => (release = resolve));
      const slow = await listen(broker, 'slow', () => stuck);
      const quick = await listen(broker, 'quick');
      const padding = 'x'.repeat(400);
      for (let i = 0; i < 120; i++) {
        await broker.publish(topic, values(...Array.from({ length: 10 }, (_, n) => `${i * 10 + n}${padding}`)));
      }
      release();
      const late = await listen(broker, 'late');
      await until(() => [slow, quick, late].every((got) => got.length >= 1200));
      for (const got of [slow, quick, late]) {
        expect(got.map((text) => Number.parseInt(text, 10))).toEqual(Array.from({ length: 1200 }, (_, i) => i));
      }
    });

    it('continues inside a batch after a restart', async () => {
      const broker = await open();
      await broker.publish(topic, values(0, 1, 2, 3, 4));
      const stopped = Promise.withResolvers<void>();
      await broker.subscribe({
        group: 'g',
        topics: [topic],
        handler: async ({ records: [first] }) => {
          if (first?.offset !== 0) await stopped.promise;
          return first?.offset === 0 ? 3 : 0;
        },
      });
      await until(async () => (await broker.lag('g'))[0]?.committed === 3);
      stopped.resolve();
      await broker.close();
      const got = await listen(await open(), 'g');
      await until(() => got.length === 2);
      expect(got).toEqual(['3', '4']);
    });

    it('continues at the end of each of very many partitions after a restart', async () => {
      const wide: readonly TopicSpec[] = [
        { name: topic, kind: 'facts', partitions: 150, retentionMs: HOUR_MS },
        { name: 'tidings.things.empty', kind: 'facts', partitions: 150, retentionMs: HOUR_MS },
      ];
      const some = keysOf(150).filter((_, partition) => partition % 7 !== 0);
      const publish = async (broker: Broker): Promise<void> => {
        for (const value of ['a', 'b'])
          await broker.publish(
            topic,
            some.flatMap((key) => records(key, value, value)),
          );
      };
      const broker = await world.open(wide);
      await publish(broker);
      await broker.close();
      const again = await world.open(wide);
      brokers.push(again);
      const ends = (each: number): number[] => Array.from({ length: 150 }, (_, i) => (i % 7 === 0 ? 0 : each));
      expect(await again.ends(topic)).toEqual(ends(4));
      expect(await again.ends('tidings.things.empty')).toEqual(Array.from({ length: 150 }, () => 0));
      await publish(again);
      expect(await again.ends(topic)).toEqual(ends(8));
    });

    it('stores offsets once the store answers again', async () => {
      let broken = true;
      const db = intercepted((command, run) =>
        broken && command['update'] === 'streaming.offsets' ? Promise.reject(new Error('connection refused')) : run(),
      );
      const broker = await open({ db });
      await broker.publish(topic, values(1, 2));
      const got = await listen(broker, 'g');
      await until(() => got.length === 2);
      broken = false;
      const offsets = world.db.collection<{ _id: object; o: number }>('streaming.offsets');
      await until(async () => (await offsets.findOne({ _id: { g: 'g', t: topic, p: 0 } }))?.o === 2);
    });
  });
});
