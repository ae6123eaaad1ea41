import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type DispatcherService, openDispatcher } from '@tidings/dispatcher';
import { chunkRecordKey } from '@tidings/delivery';
import { batchesTopic, Content, MessageEvent, SendBatch, topicNames } from '@tidings/events';
import { newMessageCode, Platform, randomBase62, ShiftedClock } from '@tidings/kernel';
import { DeviceDescription, type Devices, type Platforms, type SentValues } from '@tidings/rpc';
import { Closing, keysFrom, openLog, openMetrics, seal } from '@tidings/runtime';
import {
  apnsToken,
  generateApnsKey,
  type Simulators,
  startSimulators,
  startSubscriber,
  type Subscriber,
} from '@tidings/simulators';
import type { Broker, SubscribeOptions } from '@tidings/streaming';
import { describeWithMongo, testBroker, until } from '@tidings/testing';
import { openWebhooks, type WebhooksService } from '@tidings/webhooks';
import type { Db, Document } from 'mongodb';

const APPLICATION = 'AAAAA-BBBBB';
const DEVICES = [0, 1, 2];

const steps = [
  ['its pushes were answered', 'values', 2],
  ['what it had sent was kept', 'end', 2],
  ['the end of its slice was stored', 'outcome', 1],
  ['its outcome was published', 'acknowledgement', 1],
] as const;
type Step = (typeof steps)[number][1];

/** Pauses a dispatcher before a step, as a frozen process does. */
class Pausing {
  readonly #before: Step;
  readonly #paused = Promise.withResolvers<void>();
  readonly #resumed = Promise.withResolvers<void>();
  #isPaused = false;

  constructor(before: Step) {
    this.#before = before;
  }

  get paused(): Promise<void> {
    return this.#paused.promise;
  }

  resume(): void {
    this.#isPaused = false;
    this.#resumed.resolve();
  }

  async #pass<T>(step: Step | undefined, call: () => Promise<T>): Promise<T> {
    if (step === this.#before) {
      this.#isPaused = true;
      this.#paused.resolve();
    }
    if (this.#isPaused) await this.#resumed.promise;
    return call();
  }

  db(db: Db): Db {
    const stepOf: Readonly<Record<string, Step>> = { sentValues: 'values', attempts: 'end' };
    const command: Db['command'] = (document: Document, options) =>
      this.#pass(stepOf[String(document['update'])], () => db.command(document, options));
    return new Proxy(db, {
      get: (target, name) => (name === 'command' ? command : (Reflect.get(target, name, target) as unknown)),
    });
  }

  broker(broker: Broker): Broker {
    const publish: Broker['publish'] = (topic, records) =>
      this.#pass(topic === topicNames.outcomes ? 'outcome' : undefined, () => broker.publish(topic, records));
    // Groups of its own: the paused process's records would wait for its session's end.
    const subscribe: Broker['subscribe'] = ({ handler, group, ...options }) =>
      broker.subscribe({
        ...options,
        group: `pausing.${group}`,
        handler: async (batch) => {
          const done = await handler(batch);
          const isSent = batch.topic === batchesTopic('apns', false);
          return this.#pass(isSent ? 'acknowledgement' : undefined, async () => done);
        },
      });
    return proxied(broker, { publish, subscribe });
  }
}

const proxied = (broker: Broker, methods: Partial<Broker>): Broker =>
  new Proxy(broker, {
    get: (target, name) => {
      const value: unknown = Reflect.get({ ...methods }, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

/** Members of new groups begin with what is published from then on. */
const fromNow = (broker: Broker): Broker =>
  proxied(broker, { subscribe: (options: SubscribeOptions) => broker.subscribe({ ...options, from: 'latest' }) });

describeWithMongo('the payload of a Push Sent', (mongo) => {
  const log = openLog('error');
  const key = generateApnsKey();
  const keys = keysFrom(Buffer.alloc(32, 1));
  const content = Content.fromPartial({
    text: { entries: [{ language: 'default', text: 'Hello {{Name||you}}' }] },
    tags: ['Name'],
  });
  let simulators: Simulators;
  let closing: Closing;
  let clock: ShiftedClock;
  let db: Db;
  let webhooksDb: Db;
  let broker: Broker;
  let subscriber: Subscriber;
  let dispatcher: DispatcherService;
  let code: string;

  beforeAll(async () => {
    simulators = await startSimulators({ control: false, keepPayloads: true });
    simulators.keys.register({ apns: [key] });
  });
  afterAll(() => simulators.close());

  beforeEach(async () => {
    simulators.reset({ keepPayloads: true });
    closing = new Closing(log);
    clock = new ShiftedClock();
    clock.advanceTo(simulators.clock.aheadMs);
    const name = randomBase62(8);
    [db, webhooksDb] = [mongo.database(name), mongo.database(`${name}_webhooks`)];
    broker = await testBroker({ db: mongo.database(`${name}_log`), clock });
    closing.add('broker', broker, (opened) => opened.close());
    subscriber = closing.add('subscriber', await startSubscriber(), (opened) => opened.down());
    code = newMessageCode(0);
  });
  afterEach(() => closing.close());

  const platforms: Pick<Platforms, 'getCredential'> = {
    async getCredential({ application, platform }) {
      const settings = {
        ios_key_file: Buffer.from(key.privateKey).toString('base64'),
        ios_key_password: '',
        ios_gateway: '1',
        ios_bundle_id: 'com.example.app',
        ios_key_id: key.keyId,
        ios_team_id: key.teamId,
      };
      const sealed = Object.entries(settings).map(([field, value]): [string, Buffer] => [
        field,
        Buffer.from(seal(keys.master, { application, field }, value)),
      ]);
      return { application, platform, version: 1, exists: true, settings: {}, sealed: Object.fromEntries(sealed) };
    },
  };
  const devices: Pick<Devices, 'describe' | 'findSuppressed'> = {
    findSuppressed: async () => ({ found: [] }),
    describe: async ({ seqs }) => ({
      devices: seqs.map((seq) =>
        DeviceDescription.fromPartial({
          found: true,
          hwid: `device-${seq}`,
          userId: `device-${seq}`,
          language: 'en',
          token: 'the newest token',
          check: seq,
          values: ['the newest name'],
        }),
      ),
      applicationTitle: 'Shop',
      mailFrom: '',
      badges: [],
    }),
  };
  const sentValues: SentValues = {
    keep: (request) => dispatcher.sentValues.keep(request),
    find: (request) => dispatcher.sentValues.find(request),
    erase: (request) => dispatcher.sentValues.erase(request),
  };

  const startDispatcher = async (at: Db, by: Broker): Promise<void> => {
    dispatcher = await openDispatcher({
      clock,
      log,
      keys,
      platforms,
      devices,
      db: at,
      broker: by,
      channels: ['apns'],
      metrics: openMetrics(),
      urls: { apns: simulators.apnsUrl },
      publicUrl: '',
      http2: 'frames',
    });
    closing.add('dispatcher', dispatcher, (opened) => opened.close());
  };
  const startWebhooks = async (): Promise<WebhooksService> => {
    const opened = await openWebhooks({
      clock,
      log,
      keys,
      tokens: { resolveToken: async () => ({ token: undefined }) },
      applications: { findApplication: async () => ({ application: undefined }) },
      devices,
      sentValues,
      broker,
      db: webhooksDb,
      metrics: openMetrics(),
      allowPrivate: ['127.0.0.0/8'],
      events: { host: '127.0.0.1', port: 0 },
    });
    return closing.add('webhooks', opened, (each) => each.close());
  };

  const accept = async (): Promise<void> => {
    const event = MessageEvent.fromPartial({
      code,
      id: 7n,
      account: 'default',
      at: new Date(clock.now()),
      event: { $case: 'accepted', value: { applications: [APPLICATION], content } },
    });
    await broker.publish(topicNames.messages, [{ key: code, value: MessageEvent.encode(event).finish() }]);
  };
  /** A watchdog emits the slice again, with the devices as they are then. */
  const emit = async (version: string): Promise<void> => {
    const tokens = DEVICES.map(tokenOf);
    const names = DEVICES.map((n) => `${n} ${version}`);
    const batch = SendBatch.fromPartial({
      message: code,
      messageId: 7n,
      account: 'default',
      application: APPLICATION,
      applicationTitle: 'Shop',
      platform: Platform.iOS,
      variant: 'alert',
      content,
      releasedAt: new Date(clock.now()),
      slices: [{ number: 0, first: 0, count: DEVICES.length }],
      positions: Buffer.from(Uint16Array.from(DEVICES).buffer),
      tokens: Buffer.from(tokens.join('')),
      tokenEnds: endsOf(tokens),
      values: Buffer.from(names.join('')),
      valueEnds: endsOf(names),
      languages: Buffer.alloc(DEVICES.length),
      languageNames: ['en'],
      displayable: Buffer.of(0xff),
      gone: Buffer.of(0),
      oversized: Buffer.alloc(DEVICES.length),
      checks: Buffer.alloc(3 * DEVICES.length, 1),
      credential: { application: APPLICATION, platform: Platform.iOS, version: 1 },
    });
    const value = SendBatch.encode(batch).finish();
    await broker.publish(batchesTopic('apns', false), [{ key: chunkRecordKey(batch), value }]);
  };
  const pushes = () => DEVICES.map((n) => simulators.ledger.of('apns').entries({ token: tokenOf(n) }));

  it.each(steps)(
    'is that of the last send, at each delivery, if a dispatcher pauses after %s',
    async (_, before, sends) => {
      const pausing = new Pausing(before);
      await startDispatcher(pausing.db(db), pausing.broker(broker));
      closing.add('pause', pausing, async (opened) => opened.resume());
      const first = dispatcher;
      const webhooks = await startWebhooks();
      await webhooks.subscriptions.create({
        account: '',
        settings: {
          endpoint: subscriber.endpoint,
          events: ['Push Sent'],
          enabled: true,
          applications: [],
          platforms: [],
          messageCodes: [],
          campaigns: [],
        },
      });
      subscriber.behaviour.answer = () => 'not yet';
      await accept();
      await emit('before');
      await pausing.paused;

      // The lease has expired: another dispatcher gets the slice with the devices as they are by now.
      await db.collection('workerLeases').deleteMany({});
      await startDispatcher(db, fromNow(broker));
      await emit('after');
      await until(() => subscriber.received.length >= DEVICES.length);
      await webhooks.close();
      const received = pushes().map((entries) => entries.map(({ payload }) => payload!));
      expect(received.map(({ length }) => length)).toEqual(DEVICES.map(() => sends));
      const last = received.map((payloads) => payloads.at(-1)!);
      expect(last.filter((payload, n) => payload.includes(`Hello ${n} ${sends > 1 ? 'after' : 'before'}`))).toEqual(
        last,
      );
      const sent = new Set(last.map((payload, n) => `device-${n}: ${payload}`));
      const delivered = () => new Set(subscriber.received.splice(0).map(({ hwid, payload }) => `${hwid}: ${payload}`));
      expect(delivered()).toEqual(sent);

      // The first dispatcher resumes, and another webhooks process reports the pushes again.
      pausing.resume();
      await first.close();
      subscriber.behave();
      clock.advance(120_000);
      simulators.clock.advanceTo(clock.aheadMs);
      await startWebhooks();
      await until(() => subscriber.acknowledged().size === DEVICES.length);
      expect(delivered()).toEqual(sent);
    },
  );
});

const tokenOf = (n: number): string => apnsToken('accepted', n);

function endsOf(texts: readonly string[]): Buffer {
  let end = 0;
  return Buffer.from(Uint32Array.from(texts, (text) => (end += Buffer.byteLength(text))).buffer);
}
