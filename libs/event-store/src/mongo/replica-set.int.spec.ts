import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Fault, systemClock } from '@tidings/kernel';
import { connectMongo, Lease, leaseReplica, transientAsFault } from '@tidings/mongo';
import { describeWithReplicaSet, until } from '@tidings/testing';
import type { Db, MongoClient } from 'mongodb';
import { pino } from 'pino';
import type { Commit, LogWriter } from '../event-log-port.ts';
import { openRelay, type Relay } from '../relay/open-relay.ts';
import { type ThingCommand, type ThingEvent, type ThingReply, things } from '../things.features.ts';
import type { CommitDocument } from './commits.ts';
import { openLogs } from './open-logs.ts';

/** Election within twice the timeout of 3 s; clients learn of it and end an attempt within 2 s each. */
const ELECTED_MS = 10_000;
/** A secondary of MongoDB 4.0 follows a frozen primary for up to 30 s; the new primary knows its progress only from heartbeats every 2 s. */
const WITHOUT_FROZEN_MS = 40_000;
/** 3 s for a command, 2 s for the attempt under way. */
const ANSWERED_MS = 5_000;
/** Clients give up a silent server after 10 s, and look every 2 s. */
const SILENT_MS = 14_000;
const FROZEN_MS = 25_000;
const LEASE_MS = 10_000;
const LOGS = ['things-0', 'things-1', 'things-2'];
const IDS = 50;

jest.setTimeout(240_000);

type Writer = LogWriter<ThingCommand, ThingReply>;

class Repeated {
  readonly succeeded: number[] = [];
  slowestMs = 0;
  #isOver = false;
  readonly #calls: Promise<void>;

  constructor(call: (n: number) => Promise<unknown>, pauseMs = 0) {
    this.#calls = this.#repeat(call, pauseMs);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#calls;
  }

  async #repeat(call: (n: number) => Promise<unknown>, pauseMs: number): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const startedAt = performance.now();
      try {
        await call(n);
        this.succeeded.push(startedAt);
      } catch (error) {
        expect(error).toMatchObject({ kind: 'unavailable' });
        await delay(50);
      }
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
      await delay(pauseMs);
    }
  }
}

const numbers = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

describeWithReplicaSet('event logs on a replica set without its primary', (set) => {
  let databases = 0;
  let clients: MongoClient[];
  let relay: Relay<ThingEvent>;
  let acknowledged: string[];
  let published: Map<string, number[]>;
  let writes: Repeated[];
  let reads: Repeated;
  let others: Repeated[];
  const open: { close(): Promise<void> }[] = [];

  const dbOf = (client: MongoClient): Db => client.db(`replicas${databases}`);
  const connect = async (): Promise<MongoClient> => {
    const client = await connectMongo(set.url);
    clients.push(client);
    return client;
  };
  const write = (writer: Writer, name: string, log: string): Repeated =>
    new Repeated(async (n) => {
      const key = `${name}/${log}/${n}`;
      // Blind: a command that was decided twice would be found.
      await writer.submit(log, { kind: 'add', id: `${log}/${n % IDS}`, key, by: 1, blind: true });
      acknowledged.push(key);
    });
  const publish = async (commits: readonly { readonly value: Uint8Array }[]): Promise<void> => {
    for (const { value } of commits) {
      const [log, position] = Buffer.from(value).toString().split(' ') as [string, string];
      const seen = published.get(log) ?? [];
      published.set(log, seen);
      if (Number(position) > (seen.at(-1) ?? 0)) seen.push(Number(position));
    }
  };
  const inAll = (): number => [...published.values()].reduce((sum, seen) => sum + seen.length, 0);
  const all = (): Repeated[] => [...writes, reads, ...others];
  const recoveryMs = async (): Promise<number> => {
    const now = performance.now();
    await until(() => all().every(({ succeeded }) => (succeeded.at(-1) ?? 0) > now));
    const before = inAll();
    await until(() => inAll() > before);
    return performance.now() - now;
  };

  beforeEach(async () => {
    databases++;
    clients = [];
    acknowledged = [];
    published = new Map();
    const [first, second] = [dbOf(await connect()), dbOf(await connect())];
    relay = await openRelay<ThingEvent>({
      db: first,
      category: things.category,
      decode: things.decode,
      isKnown: things.isKnown,
      broker: { publish: (_topic, records) => publish(records) },
      publish: ({ log, position }: Commit<ThingEvent>) => [
        { topic: 'things', key: log, value: Buffer.from(`${log} ${position}`) },
      ],
      checkEveryMs: 200,
    });
    const writers = [openLogs(first, things, { committed: relay.enqueue }), openLogs(second, things)];
    open.push(relay, ...writers);
    writes = writers.flatMap((writer, i) => LOGS.map((log) => write(writer, `${i}`, log)));
    const replica = await leaseReplica(second, { log: pino({ level: 'silent' }) });
    open.push(replica);
    const lease = new Lease(second, 'work', { clock: systemClock, lengthMs: LEASE_MS });
    reads = new Repeated(() => transientAsFault(() => second.collection('things').findOne()), 20);
    others = [
      new Repeated(() => transientAsFault(() => lease.take()), 200),
      new Repeated(async () => {
        if (replica.current() === undefined) throw Fault.unavailable('no ids');
      }, 20),
    ];
    await recoveryMs();
  });
  afterEach(async () => {
    await Promise.all(all().map((calls) => calls.stop()));
    await Promise.all(open.splice(0).map((one) => one.close()));
    await Promise.all(clients.map((client) => client.close()));
  });

  const expectAll = async (): Promise<void> => {
    await Promise.all(all().map((calls) => calls.stop()));
    expect(Math.max(...writes.map(({ slowestMs }) => slowestMs))).toBeLessThan(ANSWERED_MS);
    expect(reads.slowestMs).toBeLessThan(SILENT_MS);
    await until(() => relay.caughtUp());
    // A new client may take a thawed former primary for the primary.
    const db = dbOf(clients[0]!);
    const last = openLogs(db, things);
    await last.applyCommits();
    await last.close();
    const [keys, counts] = [[] as string[], new Map<string, number>()];
    for (const log of LOGS) {
      const range = { _id: { $gt: { log, position: 0 }, $lt: { log, position: Infinity } } };
      const found = db.collection<CommitDocument>('things.commits').find(range, {
        promoteBuffers: true,
        readConcern: 'majority',
      });
      const commits = await found.sort({ _id: 1 }).toArray();
      expect(commits.map(({ _id }) => _id.position)).toEqual(numbers(commits.length));
      // A filler, which ends a commit of unknown outcome, has no events and is not published.
      const withEvents = commits.filter(({ events }) => events.length > 0);
      expect(published.get(log)).toEqual(withEvents.map(({ _id }) => _id.position));
      for (const event of commits.flatMap(({ events }) => events.map((bytes) => things.decode(bytes)))) {
        if (event.kind !== 'added') continue;
        keys.push(event.key);
        counts.set(event.id, (counts.get(event.id) ?? 0) + 1);
      }
    }
    expect(new Set(keys).size).toBe(keys.length);
    const stored = new Set(keys);
    expect(acknowledged.filter((key) => !stored.has(key))).toEqual([]);
    const states = await db.collection<{ _id: string; count: number }>('things').find().toArray();
    expect(new Map(states.map(({ _id, count }) => [_id, count]))).toEqual(counts);
  };

  it('continue within 10 s after the primary was killed, and lose nothing, also when it returns', async () => {
    const primary = await set.primary();
    await primary.kill();
    expect(await recoveryMs()).toBeLessThan(ELECTED_MS);
    await primary.restart();
    await recoveryMs();
    await expectAll();
  });

  it('continue without a primary that is frozen, and lose nothing, also when it thaws', async () => {
    const { pid } = await set.primary();
    process.kill(pid, 'SIGSTOP');
    const frozen = delay(FROZEN_MS);
    const took = await recoveryMs();
    await frozen;
    process.kill(pid, 'SIGCONT');
    await recoveryMs();
    await expectAll();
    expect(took).toBeLessThan(WITHOUT_FROZEN_MS);
  });

  it.each(['dead', 'frozen'])('connect although the first address is %s', async (which) => {
    const member = set.members[0]!;
    await (which === 'dead' ? member.kill() : process.kill(member.pid, 'SIGSTOP'));
    try {
      const startedAt = performance.now();
      await until(() =>
        connect().then(
          () => true,
          () => false,
        ),
      );
      expect(performance.now() - startedAt).toBeLessThan(SILENT_MS);
    } finally {
      await (which === 'dead' ? member.restart() : process.kill(member.pid, 'SIGCONT'));
    }
    await recoveryMs();
    await expectAll();
  });
});
