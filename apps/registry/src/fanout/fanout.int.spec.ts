import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it, jest } from '@jest/globals';
import { definitions } from '@tidings/channels';
import { dispatcherGroup, lanes, SLICE_SIZE } from '@tidings/delivery';
import {
  type Audience,
  batchesTopic,
  Content,
  type Expression,
  IosContent,
  MessageAccepted,
  MessageEvent,
  Operator,
  PlanEvent,
  SendBatch,
  TagType,
  topicNames,
  SliceOutcome,
} from '@tidings/events';
import { type Channel, Bitmap, seqOf } from '@tidings/kernel';
import { openLog, keysFrom } from '@tidings/runtime';
import type { Broker, EmbeddedBroker } from '@tidings/streaming';
import { describeWithMongo, TestClock, testBroker } from '@tidings/testing';
import type { Binary, Db } from 'mongodb';
import { Registry } from 'prom-client';
import { APPLICATIONS, TAGS } from '../accounts/log.ts';
import { type DeviceDocument, DEVICES, prepareDevices } from '../devices/document.ts';
import { type FanoutService, openFanout } from './fanout.ts';
import { removeExpired } from './release/expiry.ts';
import { OutgoingMessages } from './release/outgoing.ts';
import { type PlanDocument, plannedOf, PLANS, type SliceCount } from './plan/plans.ts';
import { SLICE_STATUSES } from './settle/slice-statuses.ts';

const APP = 'AAAAA-BBBBB';
/** What a plan says of its slices, by platform. */
const slicesOf = (counts: Readonly<Record<number, number>>): SliceCount[] =>
  Object.entries(counts).map(([platform, count]) => ({ platform: Number(platform), variant: 'alert', count }));

const CHANNELS = ['apns', 'fcm'] as const satisfies readonly Channel[];

const device = (seq: number, over: Partial<DeviceDocument> = {}): DeviceDocument => ({
  _id: `${APP}:${String(seq).padStart(22, 'A')}`,
  rev: 1,
  account: 'a',
  app: APP,
  person: String(seq).padStart(22, 'A'),
  seq,
  status: 1,
  hwid: `hwid-${seq}`,
  platform: seq % 3 === 0 ? 3 : 1,
  token: `token-${seq}`,
  user: 'u',
  lang: 'en',
  cg: 0,
  tags: [{ k: 70, v: seq % 2 }],
  owners: [],
  createdAt: 0,
  ...over,
});

const even: Expression = {
  node: {
    $case: 'tag',
    value: {
      tag: 70,
      type: TagType.TAG_TYPE_INTEGER,
      operator: Operator.OPERATOR_EQ,
      operands: [{ value: { $case: 'number', value: 0 } }],
      application: '',
    },
  },
};

const selection = (expression?: Expression): Audience => ({
  target: { $case: 'selection', value: { expression } },
  platforms: [],
});
const named = (...seqs: number[]): Audience => ({ target: { $case: 'named', value: { seqs } }, platforms: [] });

let messages = 0;
const newMessage = (accepted: Partial<MessageAccepted>) => {
  const number = ++messages;
  const code = `${(number % 16).toString(16).toUpperCase()}000-00000000-${String(number).padStart(8, '0')}`;
  return { code, id: BigInt(number), accepted: { ...MessageAccepted.create(), applications: [APP], ...accepted } };
};
type NewMessage = ReturnType<typeof newMessage>;

const eventsOf = ({ code, id, accepted }: NewMessage, at: Date): MessageEvent[] => {
  const event = (of: MessageEvent['event']): MessageEvent => ({
    stamp: undefined,
    code,
    id,
    account: 'a',
    at,
    event: of,
  });
  return [event({ $case: 'accepted', value: accepted }), event({ $case: 'released', value: {} })];
};

async function release(broker: Broker, message: NewMessage, at: Date): Promise<void> {
  const records = eventsOf(message, at).map((event) => ({
    key: message.code,
    value: MessageEvent.encode(event).finish(),
  }));
  await broker.publish(topicNames.messages, records);
}

const platform = (code: number) => ({ platform: code, enabled: true, credentialVersion: 1, settings: {}, sealed: {} });

async function prepare(db: Db, devices: readonly DeviceDocument[], over: object = {}): Promise<void> {
  await prepareDevices(db);
  await db.collection<DeviceDocument>(DEVICES).insertMany([...devices]);
  const application = {
    kind: 'application',
    rev: 1,
    account: 'a',
    code: APP,
    title: '',
    platforms: [platform(1), platform(3)],
  };
  await db.collection<{ _id: string }>(APPLICATIONS).insertOne({ _id: APP, ...application, ...over });
}

/** Takes batches as dispatchers do: sends every device of a slice once, sometimes later, and sometimes loses what it was given. */
class FakeDispatchers {
  /** By slice: the positions of each emission. */
  readonly emissions = new Map<string, number[][]>();
  readonly batches: SendBatch[] = [];
  readonly sent = new Map<string, number>();
  readonly #stops: (() => Promise<void>)[] = [];
  readonly #deferred: { readonly until: number; readonly outcome: SliceOutcome }[] = [];
  readonly #broker: Broker;
  readonly #clock: TestClock;
  readonly #chance: () => number;

  constructor(broker: Broker, clock: TestClock, chance: () => number = () => 1) {
    this.#broker = broker;
    this.#clock = clock;
    this.#chance = chance;
  }

  async start(): Promise<this> {
    for (const channel of CHANNELS) {
      for (const lane of lanes) {
        const subscription = await this.#broker.subscribe({
          group: dispatcherGroup(channel, lane),
          topics: [batchesTopic(channel, lane === 'direct')],
          handler: async ({ records }) => {
            for (const { value } of records) await this.#take(SendBatch.decode(value));
          },
        });
        this.#stops.push(() => subscription.stop());
      }
    }
    return this;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
  }

  /** Settles what was deferred and is due. */
  async resume(): Promise<void> {
    const due = this.#deferred.splice(0);
    for (const each of due) {
      if (each.until > this.#clock.now()) this.#deferred.push(each);
      else await this.#publish(each.outcome);
    }
  }

  async #take(batch: SendBatch): Promise<void> {
    this.batches.push(batch);
    const positions = new Uint16Array(new Uint8Array(batch.positions).buffer);
    for (const { number, first, count } of batch.slices) {
      const members = [...positions.subarray(first, first + count)];
      const id = `${batch.message}/${batch.chunk}/${batch.platform}/${number}`;
      this.emissions.set(id, [...(this.emissions.get(id) ?? []), members]);
      const outcome: SliceOutcome = {
        message: batch.message,
        messageId: batch.messageId,
        account: batch.account,
        application: batch.application,
        bucket: batch.bucket,
        chunk: batch.chunk,
        platform: batch.platform,
        variant: batch.variant,
        number,
        at: new Date(this.#clock.now()),
        outcome: {
          $case: 'settled',
          value: {
            sent: [
              {
                platform: batch.platform,
                hour: 0,
                set: Buffer.from(Bitmap.of(members).encode()),
                notDisplayable: Buffer.alloc(0),
              },
            ],
            failed: [],
            deadTokens: [],
            claimedAt: undefined,
          },
        },
      };
      const chance = this.#chance();
      if (chance < 0.15) continue;
      if (chance < 0.35) {
        const until = this.#clock.now() + 5_000;
        await this.#publish({ ...outcome, outcome: { $case: 'deferred', value: { until: new Date(until) } } });
        if (chance < 0.3) this.#deferred.push({ until, outcome });
      } else await this.#publish(outcome);
    }
  }

  async #publish(outcome: SliceOutcome): Promise<void> {
    const { message, application, chunk } = outcome;
    const value = SliceOutcome.encode(outcome).finish();
    await this.#broker.publish(topicNames.outcomes, [{ key: `${message}/${application}/${chunk}`, value }]);
  }
}

const quiet = openLog((process.env['FANOUT_LOG'] ?? 'fatal') as 'fatal');

const open = (
  db: Db,
  broker: Broker,
  clock: TestClock,
  metrics = new Registry(),
  bufferBytes?: number,
): Promise<FanoutService> =>
  openFanout({
    ...(bufferBytes === undefined ? {} : { bufferBytes }),
    db,
    broker,
    clock,
    log: quiet,
    metrics,
    keys: keysFrom(new Uint8Array(32)),
    watchEveryMs: 20,
  });

/** Waits until nothing is open, moving the clock on; fails after a minute. */
async function settle(fanout: FanoutService, clock: TestClock, dispatchers: FakeDispatchers, step = 0): Promise<void> {
  const deadline = Date.now() + 50_000;
  let open: string[] = [];
  for (let quietRounds = 0; quietRounds < 2;) {
    if (Date.now() > deadline) throw new Error(`not settled: ${open.join('; ')}`);
    ({ open } = await fanout.operations.settled({}));
    quietRounds = open.length === 0 ? quietRounds + 1 : 0;
    if (open.length > 0) {
      await delay(15);
      clock.advance(step);
      await dispatchers.resume();
    }
  }
}

/** Stops a process of the fan-out dead at its `fatal`-th write: nothing that it does from then on has an effect. */
class Killer {
  dead = false;
  #left: number;
  readonly #afterwards: boolean;

  /** @param afterwards the fatal write is done, only its answer is lost. */
  constructor(fatal: number, afterwards: boolean) {
    this.#left = fatal;
    this.#afterwards = afterwards;
  }

  wrap<T extends object>(target: T, writes: ReadonlySet<string>, wrapResult?: (result: object) => object): T {
    return new Proxy(target, {
      get: (of, name) => {
        const member = Reflect.get(of, name) as unknown;
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          const call = (): unknown => Reflect.apply(member, of, args) as unknown;
          if (writes.has(String(name))) return this.#write(call as () => Promise<unknown>);
          if (this.dead) throw new Error('killed');
          const result = call();
          return wrapResult && typeof result === 'object' && result !== null ? wrapResult(result) : result;
        };
      },
    });
  }

  db(db: Db): Db {
    const writes = new Set(['updateOne', 'bulkWrite', 'insertMany', 'insertOne', 'deleteMany', 'deleteOne']);
    return this.wrap(db, new Set(['command']), (result) => ('find' in result ? this.wrap(result, writes) : result));
  }

  broker(broker: Broker): Broker {
    const wrapped = this.wrap(broker, new Set(['publish']));
    return {
      ...{
        lag: wrapped.lag,
        groups: wrapped.groups,
        seek: wrapped.seek,
        close: wrapped.close,
        publish: wrapped.publish,
      },
      subscribe: (options) =>
        broker.subscribe({
          ...options,
          // What a dead process has handled is handled again.
          handler: async (batch) => {
            if (this.dead) return 0;
            const done = await options.handler(batch).catch(() => 0);
            return this.dead ? 0 : done;
          },
        }),
    };
  }

  async #write(call: () => Promise<unknown>): Promise<unknown> {
    if (this.dead) throw new Error('killed');
    if (--this.#left > 0) return call();
    this.dead = true;
    if (this.#afterwards) await call();
    throw new Error('killed');
  }
}

const randomFrom = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

const commitsOf = async (db: Db, category: string): Promise<PlanEvent[]> => {
  const commits = await db.collection<{ events: Binary[] }>(`${category}.commits`).find().toArray();
  return commits.flatMap(({ events }) => events.map((bytes) => PlanEvent.decode(bytes.buffer)));
};

/** Events on `tidings.plans`, each once, by log, number and index. */
async function collectPlans(broker: Broker): Promise<Map<string, PlanEvent>> {
  const events = new Map<string, PlanEvent>();
  await broker.subscribe({
    group: 'spec',
    topics: [topicNames.plans],
    handler: async ({ records }) => {
      for (const { value } of records) {
        const event = PlanEvent.decode(value);
        events.set(`${event.stamp!.log}/${event.stamp!.n}/${event.stamp!.index}`, event);
      }
    },
  });
  return events;
}

interface WorldOptions {
  readonly chance?: () => number;
  readonly application?: object;
  readonly bufferBytes?: number;
}

describeWithMongo('fan-out', (mongo) => {
  let worlds = 0;
  const closers: (() => Promise<unknown>)[] = [];
  const world = async (devices: readonly DeviceDocument[], { chance, application, bufferBytes }: WorldOptions = {}) => {
    const number = ++worlds;
    const db = mongo.database(`registry${number}`);
    await prepare(db, devices, application);
    const broker: EmbeddedBroker = await testBroker({ db: mongo.database(`log${number}`) });
    const clock = new TestClock();
    const metrics = new Registry();
    const dispatchers = await new FakeDispatchers(broker, clock, chance).start();
    const own: (() => Promise<unknown>)[] = [() => broker.close(), () => dispatchers.stop()];
    const close = async (): Promise<void> => {
      for (const each of own.splice(0).reverse()) await each();
    };
    closers.push(close);
    const start = async (killer?: Killer): Promise<FanoutService> => {
      const fanout = await open(killer?.db(db) ?? db, killer?.broker(broker) ?? broker, clock, metrics, bufferBytes);
      own.push(() => fanout.close());
      return fanout;
    };
    const plansOf = async ({ code }: NewMessage): Promise<PlanDocument[]> =>
      db
        .collection<PlanDocument>(PLANS)
        .find({ _id: { $gt: `${code}/`, $lt: `${code}0` } })
        .sort({ _id: 1 })
        .toArray();
    /** The values of a metric, by those of its labels. */
    const measured = async (name: string): Promise<Record<string, number>> => {
      const { values } = await metrics.getSingleMetric(name)!.get();
      return Object.fromEntries(values.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
    };
    return { db, broker, clock, dispatchers, start, plansOf, measured, close };
  };
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  const some = Array.from({ length: 1200 }, (_, i) => device(i));
  const twoChunks = [...some, ...Array.from({ length: 700 }, (_, i) => device(seqOf(1, i)))];

  it('plans a selection once per chunk and emits slices of 500 ranks', async () => {
    const { broker, clock, dispatchers, start, plansOf } = await world(twoChunks);
    const fanout = await start();
    const message = newMessage({ audience: selection(even) });
    await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);

    const plans = await plansOf(message);
    expect(plans.map(({ _id, slices, settledAt }) => ({ _id, slices, settled: settledAt !== undefined }))).toEqual([
      { _id: `${message.code}/0/${APP}/0`, slices: slicesOf({ 1: 1, 3: 1 }), settled: true },
      { _id: `${message.code}/0/${APP}/1`, slices: slicesOf({ 1: 1, 3: 1 }), settled: true },
    ]);
    const sendable = plannedOf(plans[0]!).sendable.find(({ platform }) => platform === 1)!.set;
    const expected = some.filter(({ seq, platform }) => seq % 2 === 0 && platform === 1).map(({ seq }) => seq);
    expect([...Bitmap.decode(sendable).positions()]).toEqual(expected);
    expect(dispatchers.emissions.get(`${message.code}/0/1/0`)).toEqual([expected]);
    const batch = dispatchers.batches.find(({ platform, chunk }) => platform === 1 && chunk === 0)!;
    expect(batch.tokens.toString()).toBe(expected.map((seq) => `token-${seq}`).join(''));
    expect(batch).toMatchObject({ credential: { application: APP, platform: 1, version: 1 }, releasedAt: clock.date });
  });

  it.each([false, true])('says of each batch whether it is sent at most once: %s', async (atMostOnce) => {
    const { broker, clock, dispatchers, start } = await world(some.slice(0, 6), { application: { atMostOnce } });
    const fanout = await start();
    await release(broker, newMessage({ audience: selection() }), clock.date);
    await settle(fanout, clock, dispatchers);
    expect(new Set(dispatchers.batches.map((batch) => batch.atMostOnce))).toEqual(new Set([atMostOnce]));
  });

  it('sends at most once where the channel masks no repeats', async () => {
    const masked = jest.replaceProperty(definitions.fcm, 'masksRepeats', false);
    try {
      const { broker, clock, dispatchers, start } = await world(some.slice(0, 6));
      const fanout = await start();
      await release(broker, newMessage({ audience: selection() }), clock.date);
      await settle(fanout, clock, dispatchers);
      const sent = dispatchers.batches.map(({ platform, atMostOnce }) => [platform, atMostOnce]);
      expect(new Map(sent as [number, boolean][])).toEqual(
        new Map([
          [1, false],
          [3, true],
        ]),
      );
    } finally {
      masked.restore();
    }
  });

  it('counts every named device that is known, and sends to those that can be sent to', async () => {
    const devices = [
      device(0, { platform: 1 }),
      device(1, { platform: 1, token: undefined }),
      device(2, { platform: 3 }),
      device(3, { platform: 11 }),
      device(4, { platform: 7 }),
      device(5, { status: 0 }),
      device(seqOf(1, 7), { platform: 1 }),
    ].map((each) => (each.token === undefined ? (({ token: _token, ...rest }) => rest)(each) : each));
    const { broker, clock, dispatchers, start, plansOf } = await world(devices, {
      application: { platforms: [platform(1), { ...platform(3), enabled: false }, platform(11)] },
    });
    const fanout = await start();
    const message = newMessage({ audience: named(0, 1, 2, 3, 4, 5, 6, seqOf(1, 7)) });
    await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);

    const [first, second] = (await plansOf(message)).map(plannedOf);
    const sets = (of: readonly { readonly set: Buffer }[]) => of.map(({ set }) => [...Bitmap.decode(set).positions()]);
    expect(first!.eligible.map(({ platform }) => platform)).toEqual([1, 3, 7, 11]);
    expect(sets(first!.eligible)).toEqual([[0, 1], [2], [4], [3]]);
    expect(first!.failed.map(({ category, name, platform }) => ({ category, name, platform }))).toEqual([
      { category: 'NO_TOKEN', name: 'no_token', platform: 1 },
      { category: 'PLATFORM_DISABLED', name: 'platform_disabled', platform: 3 },
      { category: 'PLATFORM_DISABLED', name: 'platform_disabled', platform: 7 },
      { category: 'INVALID_CONFIGURATION', name: 'not_configured', platform: 11 },
    ]);
    expect(first!.named).toBe(true);
    expect(sets(second!.sendable)).toEqual([[7]]);
    expect([...dispatchers.emissions.keys()].sort()).toEqual([`${message.code}/0/1/0`, `${message.code}/1/1/0`]);
    const lag = await broker.lag('dispatcher.apns.direct');
    expect(lag.filter(({ end }) => end > 0)).not.toEqual([]);
  });

  it('settles what has nothing to send at once, and a message that meets nobody', async () => {
    const { db, broker, clock, dispatchers, start } = await world([device(0, { platform: 9 })]);
    const fanout = await start();
    await release(broker, newMessage({ audience: selection() }), clock.date);
    await release(broker, newMessage({ audience: named(77) }), clock.date);
    await release(broker, newMessage({ audience: named() }), clock.date);
    await settle(fanout, clock, dispatchers);
    const cases = (await commitsOf(db, 'plans')).map(({ event }) => event?.$case);
    expect(cases.sort()).toEqual(['chunk', 'chunk', 'settled', 'settled']);
    expect(await commitsOf(db, 'fanouts')).toHaveLength(3);
    expect(dispatchers.batches).toEqual([]);
  });

  it('emits a lost slice again, the same devices with what they are now, and those that are gone marked', async () => {
    let lose = true;
    const { db, broker, clock, dispatchers, start, measured } = await world(
      Array.from({ length: 4 }, (_, i) => device(i, { platform: 1 })),
      { chance: () => (lose ? 0 : 1) },
    );
    const fanout = await start();
    const message = newMessage({ audience: selection() });
    await release(broker, message, clock.date);
    while (dispatchers.batches.length === 0) await delay(10);
    lose = false;
    const devices = db.collection<DeviceDocument>(DEVICES);
    await devices.updateOne({ seq: 0 }, { $set: { status: 0 }, $unset: { token: true } });
    await devices.updateOne({ seq: 1 }, { $set: { token: 'new' } });
    await devices.updateOne({ seq: 2 }, { $set: { platform: 3 } });
    await delay(100);
    clock.advance(15);
    await delay(100);
    expect(dispatchers.batches).toHaveLength(1);
    while ((await measured('tidings_fanout_open_slices'))['inFlight'] !== 1) await delay(10);
    await settle(fanout, clock, dispatchers, 5);
    clock.advance(60);
    expect(await measured('tidings_fanout_open_slices')).toEqual({ due: 0, inFlight: 0, deferred: 0 });
    expect(await measured('tidings_fanout_slices_total')).toEqual({ 'apns first': 1, 'apns again': 1 });
    expect(dispatchers.emissions.get(`${message.code}/0/1/0`)).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
    const again = dispatchers.batches[1]!;
    expect(again.gone[0]).toBe(0b0101);
    expect(again.tokens.toString()).toBe('newtoken-3');
    expect([...new Uint32Array(new Uint8Array(again.tokenEnds).buffer)]).toEqual([0, 3, 3, 10]);
  });

  it('lets deferred slices wait, and sends again only what is overdue', async () => {
    const chances = [0.2, 0.32, 1];
    const { broker, clock, dispatchers, start, plansOf } = await world([device(0), device(1)], {
      chance: () => chances.shift() ?? 1,
    });
    const fanout = await start();
    const message = newMessage({ audience: selection() });
    await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);
    expect((await plansOf(message))[0]!.settledAt).toBeUndefined();
    clock.advance(6);
    await dispatchers.resume();
    await settle(fanout, clock, dispatchers, 1);
    expect(dispatchers.batches.length).toBe(3);
    expect((await plansOf(message))[0]!.settledAt).toBeDefined();
  });

  it('shows relative badges from what the device has, and makes what was sent the new base, once', async () => {
    const devices = [
      device(0, { platform: 1, self: { badge: 4 } }),
      device(1, { platform: 1 }),
      device(2, { platform: 1, self: { badge: 1 } }),
    ];
    const { db, broker, clock, dispatchers, start } = await world(devices);
    const fanout = await start();
    const badges = async () =>
      (await db.collection<DeviceDocument>(DEVICES).find().sort({ seq: 1 }).toArray()).map(({ self }) => self?.badge);
    const send = async (badge: string): Promise<number[]> => {
      const content = { ...Content.create(), ios: { ...IosContent.create(), badge } };
      await release(broker, newMessage({ audience: selection(), content }), clock.date);
      await settle(fanout, clock, dispatchers);
      return [...new Int32Array(new Uint8Array(dispatchers.batches.at(-1)!.badges).buffer)];
    };
    expect(await send('+2')).toEqual([6, 2, 3]);
    expect(await badges()).toEqual([6, 2, 3]);
    expect(await send('-3')).toEqual([3, 0, 0]);
    expect(await badges()).toEqual([3, 0, 0]);
    // A repeated outcome of the last message counts nothing.
    const lag = await broker.lag('fanout.outcomes');
    for (const { topic, partition } of lag) await broker.seek('fanout.outcomes', topic, partition, 0);
    await settle(fanout, clock, dispatchers);
    expect(await badges()).toEqual([3, 0, 0]);
    expect(await send('7')).toEqual([]);
    expect(await badges()).toEqual([7, 7, 7]);
  });

  it('renders the values of the tags that the content names', async () => {
    const own = (number: number, name: string, type: TagType) => ({
      _id: `a:${name}`,
      rev: 1,
      kind: 'tag',
      account: 'a',
      applicationSpecific: false,
      deleted: false,
      ...{ number, name, type },
    });
    const long = 'é'.repeat(70);
    const item = `a${'ü'.repeat(133)}`;
    const tags = [
      { k: 7, v: 'Phone' },
      { k: 71, v: long.slice(0, 64), s: long },
      { k: 72, v: 'a' },
      { k: 72, v: 'b' },
      { k: 73, v: Date.UTC(2026, 0, 2, 3, 4) },
      { k: 75, v: 1e21 },
      { k: 76, v: '11~M', s: '1.0' },
    ];
    const { db, broker, clock, dispatchers, start } = await world([
      device(0, { platform: 1, tags }),
      device(1, { platform: 1 }),
      device(2, { platform: 1, tags: Array.from({ length: 40 }, () => ({ k: 72, v: item })) }),
    ]);
    await db
      .collection<{ _id: string }>(TAGS)
      .insertMany([
        own(71, 'Name', TagType.TAG_TYPE_STRING),
        own(72, 'Fruits', TagType.TAG_TYPE_LIST),
        own(73, 'Born', TagType.TAG_TYPE_DATE),
        own(75, 'Score', TagType.TAG_TYPE_DECIMAL),
        own(76, 'Build', TagType.TAG_TYPE_VERSION),
      ]);
    const fanout = await start();
    const names = ['Name', 'Fruits', 'Unknown', 'Born', 'Score', 'Build', 'Language', 'Device Model'];
    await release(
      broker,
      newMessage({ audience: selection(), content: { ...Content.create(), tags: names } }),
      clock.date,
    );
    await settle(fanout, clock, dispatchers);
    const { values, valueEnds } = dispatchers.batches[0]!;
    const ends = [...new Uint32Array(new Uint8Array(valueEnds).buffer)];
    const texts = ends.map((end, i) => values.subarray(i === 0 ? 0 : ends[i - 1], end).toString());
    expect(texts.slice(0, 8)).toEqual([
      long,
      'a, b',
      '',
      '2026-01-02 03:04',
      '1000000000000000000000',
      '1.0',
      'en',
      'Phone',
    ]);
    expect(texts.slice(8, 16)).toEqual(['', '', '', '', '', '', 'en', '']);
    // A value is cut at 6 KiB, and no character in halves; those behind it are whole.
    expect(Buffer.byteLength(texts[17]!)).toBe(6143);
    expect(texts[17]).toMatch(/^(aü{133}, )*aü+$/);
    expect(texts.slice(18)).toEqual(['', '', '', '', 'en', '']);
  });

  it('goes out though stored tokens are longer than a record, and says which', async () => {
    const isLong = (i: number): boolean => i % 4 === 0;
    const { broker, clock, dispatchers, start, plansOf } = await world(
      Array.from({ length: 600 }, (_, i) =>
        device(i, { platform: 1, ...(isLong(i) ? { token: `${i}-`.padEnd(65_536, 'x') } : {}) }),
      ),
    );
    const fanout = await start();
    const message = newMessage({ audience: selection() });
    await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);
    const [plan] = await plansOf(message);
    expect(plan).toMatchObject({ slices: slicesOf({ 1: 2 }), settledAt: expect.any(Date) as unknown });
    const [batch, ...others] = dispatchers.batches;
    expect(others).toEqual([]);
    expect([...batch!.oversized]).toEqual(Array.from({ length: 600 }, (_, i) => (isLong(i) ? 1 : 0)));
    expect(batch!.tokens.toString()).toBe(
      Array.from({ length: 600 }, (_, i) => (isLong(i) ? '' : `token-${i}`)).join(''),
    );
  });

  it('reads the devices of a chunk again whose tokens are together more than a pair of buffers holds, each once', async () => {
    const devices = Array.from({ length: 1200 }, (_, i) => device(i, { platform: i < 100 ? 3 : 1 }));
    // About one slice's: after the scan the first one is read together with the others, then each by itself.
    const { broker, clock, dispatchers, start, plansOf, measured } = await world(devices, { bufferBytes: 5_000 });
    const fanout = await start();
    const message = newMessage({ audience: selection() });
    await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);
    expect((await plansOf(message))[0]).toMatchObject({ slices: slicesOf({ 1: 3, 3: 1 }) });
    for (const wanted of [1, 3]) {
      const addressed = devices.filter(({ platform }) => platform === wanted);
      const batches = dispatchers.batches.filter(({ platform }) => platform === wanted);
      const slices = batches.flatMap((batch) => batch.slices.map(({ number }) => number));
      expect(slices).toEqual([...new Set(slices)].sort());
      expect(batches.map(({ tokens }) => tokens.toString()).join('')).toBe(
        addressed.map(({ token }) => token).join(''),
      );
      expect(batches.every(({ gone, oversized }) => gone.every((bits) => bits === 0) && oversized.length === 0)).toBe(
        true,
      );
    }
    expect(await measured('tidings_fanout_slices_total')).toEqual({ 'apns first': 3, 'fcm first': 1 });
  });

  it('carries the languages that the content has, however many the devices have', async () => {
    const lang = (i: number): string => String.fromCharCode(97 + (i % 26), 97 + (Math.floor(i / 26) % 26));
    const { broker, clock, dispatchers, start } = await world([
      ...Array.from({ length: 499 }, (_, i) => device(i, { platform: 1, lang: lang(i) })),
      device(499, { platform: 1, lang: 'zz' }),
    ]);
    const fanout = await start();
    const entry = (language: string) => ({ language, text: language });
    const content = { ...Content.create(), text: { entries: [entry('default'), entry('zz')] } };
    await release(
      broker,
      newMessage({ audience: selection(), content: { ...content, title: { entries: [entry('en')] } } }),
      clock.date,
    );
    await settle(fanout, clock, dispatchers);
    const { languages, languageNames } = dispatchers.batches[0]!;
    expect(languageNames.toSorted()).toEqual(['', 'en', 'zz']);
    expect(languageNames[languages[499]!]).toBe('zz');
    expect([...languages.subarray(0, 499)].filter((language) => language !== 0)).toHaveLength(1);
  });

  it('keeps hidden messages for 7 days, with everything that was planned for them', async () => {
    const { db, broker, clock, dispatchers, start } = await world([device(0)]);
    const fanout = await start();
    await release(broker, newMessage({ audience: named(0), hidden: true }), clock.date);
    await release(broker, newMessage({ audience: named(0) }), clock.date);
    await settle(fanout, clock, dispatchers);
    const kept = async () =>
      Promise.all(['outgoing', PLANS, 'fanouts', SLICE_STATUSES].map((name) => db.collection(name).countDocuments()));
    const contents = () => db.collection('outgoing').countDocuments({ accepted: { $exists: true } });
    expect(await kept()).toEqual([2, 2, 2, 2]);
    clock.advance(7 * 86_400 + 1);
    const outgoing = new OutgoingMessages(db, clock);
    await removeExpired(db, outgoing, clock.date);
    expect(await contents()).toBe(1);
    expect((await kept()).slice(1)).toEqual([1, 1, 1]);
    // What late facts make of it goes when none can arrive any more.
    const removed = await db.collection<{ _id: string }>('outgoing').findOne({ removeAt: { $exists: true } });
    await db.collection<{ _id: string }>(SLICE_STATUSES).insertOne({ _id: `${removed!._id}/0/${APP}/0/3/alert` });
    clock.advance(8 * 86_400 + 1);
    await removeExpired(db, outgoing, clock.date);
    expect(await kept()).toEqual([1, 1, 1, 1]);
  });

  it('removes a message whose application is deleted, with everything that was planned for it (R-B2)', async () => {
    const { db, broker, clock, dispatchers, start } = await world([device(0)]);
    const fanout = await start();
    const message = newMessage({ audience: named(0) });
    await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);
    const tell = async (event: MessageEvent['event']): Promise<void> => {
      const told = MessageEvent.fromPartial({
        code: message.code,
        id: message.id,
        account: 'a',
        at: clock.date,
        event,
      });
      await broker.publish(topicNames.messages, [{ key: message.code, value: MessageEvent.encode(told).finish() }]);
      await settle(fanout, clock, dispatchers);
    };
    await tell({ $case: 'failed', value: {} });
    await tell({ $case: 'purged', value: { application: APP, whole: true } });
    await removeExpired(db, new OutgoingMessages(db, clock), clock.date);
    const left = [PLANS, 'fanouts', SLICE_STATUSES].map((name) => db.collection(name).countDocuments());
    expect(await Promise.all(left)).toEqual([0, 0, 0]);
    expect(await db.collection('outgoing').countDocuments({ accepted: { $exists: true } })).toBe(0);
  });

  it('is done with a message that another process has removed, whatever comes late of it', async () => {
    const { db, broker, clock, dispatchers, start } = await world([device(0)]);
    const fanout = await start();
    const message = newMessage({ audience: named(0), hidden: true });
    await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);
    clock.advance(7 * 86_400 + 1);
    await removeExpired(db, new OutgoingMessages(db, clock), clock.date);
    const late = SliceOutcome.fromPartial({
      ...{
        message: message.code,
        messageId: message.id,
        account: 'a',
        application: APP,
        platform: 3,
        variant: 'alert',
      },
      outcome: { $case: 'settled', value: {} },
    });
    await broker.publish(topicNames.outcomes, [{ key: message.code, value: SliceOutcome.encode(late).finish() }]);
    await settle(fanout, clock, dispatchers);
    expect(await db.collection(PLANS).countDocuments()).toBe(0);
  });

  it('measures how long a message to one device takes from its release to a batch', async () => {
    const { broker, clock, dispatchers, start } = await world(some);
    const fanout = await start();
    const times: number[] = [];
    for (let i = 0; i < 60; i++) {
      const before = dispatchers.batches.length;
      const startedAt = performance.now();
      await release(broker, newMessage({ audience: named(i) }), clock.date);
      while (dispatchers.batches.length === before) await new Promise((resolve) => setImmediate(resolve));
      times.push(performance.now() - startedAt);
      await settle(fanout, clock, dispatchers);
    }
    times.sort((a, b) => a - b);
    process.stderr.write(
      `release to batch, ms: median ${times[30]!.toFixed(1)}, p90 ${times[54]!.toFixed(1)}, most ${times[59]!.toFixed(1)}\n`,
    );
    expect(dispatchers.batches).toHaveLength(60);
  });

  it('plans every device once and settles every slice, wherever it is killed', async () => {
    const rounds = Number(process.env['FANOUT_KILLS'] ?? 8);
    const first = Number(process.env['FANOUT_SEED'] ?? 1);
    const seeds = Array.from({ length: rounds }, (_, i) => first + i);
    // A round mostly waits for what the dead have left, so some go side by side.
    const lane = async (): Promise<void> => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) await round(seed);
    };
    const round = async (seed: number): Promise<void> => {
      const chance = randomFrom(seed);
      const { db, broker, clock, dispatchers, start, plansOf, close } = await world(twoChunks, { chance });
      const sent = [
        newMessage({ audience: selection(even) }),
        newMessage({ audience: selection() }),
        newMessage({ audience: named(1, 2, seqOf(1, 3)) }),
        newMessage({ audience: named(...Array.from({ length: 300 }, (_, i) => i * 2)) }),
      ];
      const published = await collectPlans(broker);
      const closing: Promise<void>[] = [];
      const released = clock.date;
      for (const message of sent) await release(broker, message, released);
      for (let life = 0; life < 4; life++) {
        const killer = new Killer(1 + Math.floor(chance() * 25), chance() < 0.5);
        const fanout = await start(killer).catch(() => undefined);
        const until = Date.now() + 400;
        while (!killer.dead && Date.now() < until) {
          await delay(10);
          clock.advance(3);
          await dispatchers.resume();
        }
        killer.dead = true;
        // A dead process closes nothing; here it must, in its own time, to end.
        if (fanout) closing.push(fanout.close());
      }
      const fanout = await start();
      await settle(fanout, clock, dispatchers, 4);
      while (
        (await fanout.operations.settled({})).open.length > 0 ||
        (await db.collection('outgoing').countDocuments({ checkAt: { $exists: true } })) > 0
      ) {
        clock.advance(4);
        await dispatchers.resume();
        await delay(15);
      }

      const events = await commitsOf(db, 'plans');
      expect(published.size).toBe(events.length + (await commitsOf(db, 'fanouts')).length);
      const times = (of: string): Map<string, number> =>
        events
          .filter(({ event }) => event?.$case === of)
          .reduce((all, { message, event }) => {
            const id = `${message}/${(event!.value as { chunk: number }).chunk}`;
            return all.set(id, (all.get(id) ?? 0) + 1);
          }, new Map<string, number>());
      expect([...times('chunk').values()].every((n) => n === 1)).toBe(true);
      expect(times('settled')).toEqual(times('chunk'));
      expect((await commitsOf(db, 'fanouts')).map(({ message }) => message).sort()).toEqual(
        sent.map(({ code }) => code).sort(),
      );
      for (const message of sent) {
        const plans = await plansOf(message);
        expect(plans).toHaveLength(message === sent[3] ? 1 : 2);
        for (const { _id, ...stored } of plans) {
          for (const { platform, set } of plannedOf({ _id, ...stored }).sendable) {
            const members = [...Bitmap.decode(set).positions()];
            const chunk = _id.split('/')[3];
            for (let number = 0; number * SLICE_SIZE < members.length; number++) {
              const emissions = dispatchers.emissions.get(`${message.code}/${chunk}/${platform}/${number}`) ?? [];
              const expected = members.slice(number * SLICE_SIZE, (number + 1) * SLICE_SIZE);
              expect(emissions.length).toBeGreaterThan(0);
              for (const emission of emissions) expect(emission).toEqual(expected);
            }
          }
        }
      }
      await Promise.all(closing);
      await close();
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
  }, 300_000);
});
