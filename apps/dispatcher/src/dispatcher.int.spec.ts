import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Settings } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { answered, chunkRecordKey, OVERSIZED, sliceId } from '@tidings/delivery';
import { batchesTopic, SendBatch, topicNames, SliceOutcome, type SliceSettled } from '@tidings/events';
import { Bitmap, Fault, randomBase62, ShiftedClock } from '@tidings/kernel';
import { Closing, openLog, keysFrom } from '@tidings/runtime';
import type { Broker } from '@tidings/streaming';
import { describeWithMongo, measured, recordTraces, testBroker, until } from '@tidings/testing';
import { Binary, type Db } from 'mongodb';
import { Registry } from 'prom-client';
import type { AttemptDocument } from './attempts/attempt-documents.ts';
import { type DispatcherDeps, type DispatcherService, openDispatcher } from './dispatcher.ts';
import { content, sendBatch, type TestDevice } from './testing/test-batches.ts';
import { noSuppressions } from './testing/no-suppressions.ts';
import { platformsWith } from './testing/test-credentials.ts';
import { apnsToken, generateApnsKey, type Simulators, startSimulators } from './testing/test-simulators.ts';

const key = generateApnsKey();
const keys = keysFrom(randomBytes(32));
const credentials = {
  1: {
    settings: {
      ios_key_file: Buffer.from(key.privateKey).toString('base64'),
      ios_key_password: '',
      ios_gateway: '1',
      ios_bundle_id: 'com.example.app',
      ios_key_id: key.keyId,
      ios_team_id: key.teamId,
    },
  },
};

describeWithMongo('dispatcher', (mongo) => {
  const log = openLog('error');
  let simulators: Simulators;
  let closing: Closing;
  let db: Db;
  let broker: Broker;
  let clock: ShiftedClock;
  let metrics: Registry;
  let outcomes: SliceOutcome[];
  let deadTokens: SliceOutcome[];

  beforeAll(async () => {
    simulators = await startSimulators({ control: false });
    simulators.keys.register({ apns: [key] });
  });
  afterAll(() => simulators.close());

  beforeEach(async () => {
    await simulators.faults.clear();
    simulators.reset({ keepPayloads: true });
    closing = new Closing(log);
    const name = randomBase62(8);
    db = mongo.database(name);
    clock = new ShiftedClock();
    clock.advanceTo(simulators.clock.aheadMs);
    broker = closing.add('broker', await testBroker({ db: mongo.database(`${name}_log`), clock }), (opened) =>
      opened.close(),
    );
    metrics = new Registry();
    outcomes = [];
    const listening = await broker.subscribe({
      group: 'listener',
      topics: [topicNames.outcomes],
      handler: async ({ records }) => void outcomes.push(...records.map(({ value }) => SliceOutcome.decode(value))),
    });
    deadTokens = [];
    const tokens = await broker.subscribe({
      group: 'listener of tokens',
      topics: [topicNames.deadTokens],
      handler: async ({ records }) => void deadTokens.push(...records.map(({ value }) => SliceOutcome.decode(value))),
    });
    closing.add('listener of tokens', tokens, (subscription) => subscription.stop());
    closing.add('listener', listening, (subscription) => subscription.stop());
  });
  afterEach(() => closing.close());

  const start = async (fields: Partial<DispatcherDeps> = {}): Promise<DispatcherService> => {
    const dispatcher = await openDispatcher({
      clock,
      log,
      db,
      keys,
      broker,
      channels: ['apns'],
      metrics,
      platforms: platformsWith(keys.master, credentials),
      devices: noSuppressions,
      urls: { apns: simulators.apnsUrl },
      publicUrl: '',
      http2: 'frames',
      ...fields,
    });
    return closing.add('dispatcher', dispatcher, (opened) => opened.close());
  };
  const devices = (count: number, first = 0): TestDevice[] =>
    Array.from({ length: count }, (_, i) => ({ position: first + i, token: apnsToken('accepted', first + i) }));
  const batchOf = (list: readonly TestDevice[], fields: Partial<SendBatch> = {}, number = 0): SendBatch =>
    sendBatch([{ number, devices: list }], { releasedAt: new Date(clock.now()), ...fields });
  const publish = (batches: readonly SendBatch[], direct = false, headers = {}) =>
    broker.publish(
      batchesTopic('apns', direct),
      batches.map((batch) => ({
        key: chunkRecordKey(batch),
        value: SendBatch.encode(batch).finish(),
        headers,
      })),
    );
  const idOf = (batch: SendBatch): string => sliceId({ ...batch, number: batch.slices[0]!.number });
  const attempts = () => db.collection<AttemptDocument>('attempts');
  const leases = () => db.collection<{ _id: string; until: Date }>('workerLeases');
  const ledger = () => simulators.ledger.summary().apns;

  /** A set: under load a batch may be delivered again, and its outcomes published again. */
  const settledSlices = (): number =>
    new Set(
      outcomes
        .filter(({ outcome }) => outcome?.$case === 'settled')
        .map(({ message, application, bucket, chunk, number }) => [message, application, bucket, chunk, number].join()),
    ).size;
  const settle = (dispatcher: DispatcherService): Promise<void> =>
    until(async () => (await dispatcher.operations.settled({})).open.length === 0);

  it.each([
    // The table size for answer headers in each SETTINGS frame.
    ['frames', 0],
    ['node', 4_096],
  ] as const)('uses HTTP/2 by %s if configured', async (http2, headerTableSize) => {
    const server = createServer();
    const settings: (number | undefined)[] = [];
    server.on('session', (session) => {
      closing.add('session', session, () => session.destroy());
      session.once('remoteSettings', (remote: Settings) => settings.push(remote.headerTableSize));
    });
    server.on('stream', (stream) => stream.respond({ ':status': 200 }, { endStream: true }));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closing.add('server', server, (opened) => void opened.close());
    const { port } = server.address() as AddressInfo;
    const dispatcher = await start({ http2, urls: { apns: `http://127.0.0.1:${port}` } });
    await publish([batchOf(devices(3))]);
    await until(() => settledSlices() === 1);
    await settle(dispatcher);
    expect(settings).toEqual([headerTableSize]);
  });

  it('sends a batch, publishes the outcomes of its slices, and is settled', async () => {
    const dispatcher = await start();
    const dead = { position: 7, token: apnsToken('dead', 7) };
    const batch = sendBatch(
      [
        { number: 0, devices: [...devices(7), dead] },
        { number: 1, devices: devices(5, 600) },
      ],
      { releasedAt: new Date(clock.now()) },
    );
    await publish([batch]);
    await until(() => outcomes.length === 2);
    await settle(dispatcher);
    const bySlice = outcomes.toSorted((a, b) => a.number - b.number).map(({ outcome }) => outcome?.value);
    expect(bySlice[0]).toMatchObject({
      failed: [{ category: 'INVALID_TOKEN', code: '410', name: 'Unregistered', platform: 1 }],
      deadTokens: [],
    });
    await until(() => deadTokens.length === 1);
    expect(deadTokens[0]!.outcome!.value).toMatchObject({ sent: [], deadTokens: [{ position: 7, token: dead.token }] });
    expect(outcomes.map((outcome) => answered(outcome.outcome!.value as SliceSettled).size).toSorted()).toEqual([5, 8]);
    expect(ledger()).toMatchObject({ accepted: 12, refused: 1, duplicates: 0 });
    const lag = await broker.lag('dispatcher.apns');
    expect(lag.filter(({ end }) => end > 0)).toMatchObject([{ committed: 1, end: 1 }]);
    expect(await measured(metrics, 'tidings_dispatch_outcomes_total')).toEqual({
      'apns SENT ': 12,
      'apns INVALID_TOKEN 410': 1,
    });
    const timed = 'tidings_dispatch_provider_seconds';
    expect(await measured(metrics, timed, `${timed}_count`)).toEqual({ 'apns broadcast': 2 });
  });

  it('records the outcomes of a batch in its trace, and continues the trace when a slice resumes', async () => {
    const traces = await recordTraces();
    closing.add('traces', traces, (recorded) => recorded.stop());
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    await start();
    const deferred = { position: 9, token: apnsToken('unavailable', 9, 1) };
    await publish([batchOf([...devices(2), deferred])], false, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    await until(() => outcomes.length === 1);
    clock.advance(3_600_000);
    simulators.clock.advanceTo(clock.aheadMs);
    await until(() => settledSlices() === 1);
    await until(() => traces.spans().length === 3);
    const inTrace = traces.spans().filter((span) => span.spanContext().traceId === traceId);
    expect(inTrace.map(({ name, attributes }) => [name, attributes])).toEqual([
      [
        'dispatch apns',
        { 'tidings.devices': 3, 'tidings.slices': 1, 'tidings.deferred': 1, 'tidings.outcome.SENT': 2 },
      ],
      ['process tidings.batches.apns', expect.objectContaining({ 'messaging.batch.message_count': 1 })],
      ['resume apns', { 'tidings.devices': 1, 'tidings.outcome.SENT': 1 }],
    ]);
  });

  it('publishes a settled slice again, unchanged, when its batch is delivered again, and sends nothing', async () => {
    const dispatcher = await start();
    const batch = batchOf(devices(3));
    await publish([batch]);
    await until(() => outcomes.length === 1);
    await publish([batch, batch]);
    await until(() => outcomes.length >= 2);
    await settle(dispatcher);
    const bytes = outcomes.map((outcome) => Buffer.from(SliceOutcome.encode(outcome).finish()).toString('hex'));
    expect(new Set(bytes).size).toBe(1);
    expect(ledger()).toMatchObject({ accepted: 3, duplicates: 0 });
  });

  it('does not touch slices of another live worker', async () => {
    const batch = batchOf(devices(2));
    await attempts().insertOne(foreign(batch));
    await leases().insertOne({ _id: 'other', until: new Date(Date.now() + 60_000) });
    await start();
    await publish([batch]);
    await until(async () => (await broker.lag('dispatcher.apns')).some(({ committed }) => committed === 1));
    await delay(100);
    expect(outcomes).toEqual([]);
    expect(ledger().accepted).toBe(0);
  });

  it('takes over the slices of a dead worker, and repeats pushes that may have been sent', async () => {
    const batch = batchOf(devices(3));
    await attempts().insertOne(foreign(batch));
    await leases().insertOne({ _id: 'other', until: new Date(Date.now() - 1) });
    await start();
    await publish([batch]);
    await until(() => settledSlices() === 1);
    expect(ledger().accepted).toBe(3);
    expect(outcomes[0]?.outcome?.value).toMatchObject({ claimedAt: new Date(5000) });
  });

  it('fails pushes that a dead worker may have sent if the application is set to at most once', async () => {
    const batch = batchOf(devices(3), { atMostOnce: true });
    await attempts().insertOne(foreign(batch));
    await start();
    await publish([batch]);
    await until(() => settledSlices() === 1);
    expect(ledger().accepted).toBe(0);
    expect(outcomes[0]?.outcome?.value).toMatchObject({
      sent: [],
      failed: [{ category: 'INTERNAL_ERROR', code: '0', name: 'unknown_outcome' }],
    });
  });

  it('defers a slice, publishes its due time, and sends it when it is due', async () => {
    const dispatcher = await start();
    const batch = batchOf([...devices(2), { position: 9, token: apnsToken('unavailable', 9, 1) }]);
    await simulators.faults.set('apns', { retryAfterSeconds: 600 });
    await publish([batch]);
    await until(async () => ledger().refused === 1 && (await attempts().countDocuments({ state: 'deferred' })) === 1);
    await until(() => outcomes.length > 0);
    const deferred = outcomes.at(-1);
    expect(deferred?.outcome?.$case).toBe('deferred');
    const untilAt = (deferred!.outcome!.value as { until: Date }).until.getTime();
    expect(untilAt - clock.now()).toBeGreaterThan(500_000);
    await settle(dispatcher);
    const [attempt] = await attempts().find({ state: 'deferred' }).toArray();
    expect(attempt?._id).toBe(idOf(batch));
    clock.advance(untilAt - clock.now());
    simulators.clock.advanceTo(clock.aheadMs);
    expect((await dispatcher.operations.settled({})).open).not.toEqual([]);
    await until(() => settledSlices() === 1);
    await settle(dispatcher);
    expect(ledger()).toMatchObject({ accepted: 3, duplicates: 0 });
  });

  it('shares a throttle with other replicas', async () => {
    await simulators.faults.set('apns', { retryAfterSeconds: 600 });
    await start();
    await publish([batchOf([{ position: 1, token: apnsToken('unavailable', 1, 1) }])]);
    await until(() => ledger().refused === 1);
    await until(async () => (await db.collection('throttles').countDocuments()) === 1);
    await start();
    await publish([batchOf(devices(4), { bucket: 1 })]);
    await until(() => outcomes.some(({ bucket }) => bucket === 1));
    expect(ledger().accepted).toBe(0);
    expect(outcomes.every(({ outcome }) => outcome?.$case === 'deferred')).toBe(true);
    expect(await measured(metrics, 'tidings_dispatch_deferred_slices')).toEqual({ apns: 2 * 2 });
    expect(await measured(metrics, 'tidings_dispatch_throttled_credentials')).toEqual({ apns: 2 * 1 });
  });

  it('sends a slice that another replica deferred before it closed', async () => {
    const first = await start();
    await simulators.faults.set('apns', { retryAfterSeconds: 60 });
    await publish([batchOf([{ position: 9, token: apnsToken('unavailable', 9, 1) }])]);
    await until(() => outcomes.length > 0);
    await first.close();
    expect(new Set(outcomes.map(({ outcome }) => outcome?.$case))).toEqual(new Set(['deferred']));
    const second = await start();
    clock.advance(120_000);
    simulators.clock.advanceTo(clock.aheadMs);
    await until(() => settledSlices() === 1);
    await settle(second);
    expect(outcomes.find(({ outcome }) => outcome?.$case === 'settled')?.outcome?.value).toMatchObject({
      sent: [{ set: Buffer.from(Bitmap.of([9]).encode()) }],
      failed: [],
    });
    expect(ledger()).toMatchObject({ accepted: 1, refused: 1, duplicates: 0 });
  });

  it('publishes the outcome of a resumed slice that another replica stored, and could not publish before it closed', async () => {
    let isDown = false;
    const refusing = new Proxy(broker, {
      get: (target, name: keyof Broker) =>
        name === 'publish' && isDown ? () => Promise.reject(Fault.unavailable('down')) : target[name].bind(target),
    });
    const first = await start({ broker: refusing, log: openLog('silent') });
    await simulators.faults.set('apns', { retryAfterSeconds: 60 });
    await publish([batchOf([{ position: 9, token: apnsToken('unavailable', 9, 1) }])]);
    await until(() => outcomes.length > 0);
    isDown = true;
    clock.advance(120_000);
    simulators.clock.advanceTo(clock.aheadMs);
    await until(async () => (await attempts().countDocuments({ state: 'settled' })) === 1);
    await first.close();
    expect(settledSlices()).toBe(0);
    const second = await start();
    await until(() => settledSlices() === 1);
    await settle(second);
    expect(ledger()).toMatchObject({ accepted: 1, duplicates: 0 });
    expect(await attempts().countDocuments({ deferral: { $exists: true } })).toBe(0);
  });

  it('does not delay a receipt behind a broadcast', async () => {
    await start();
    await simulators.faults.set('apns', { latencyMs: 300 });
    const broadcast = Array.from({ length: 4 }, (_, chunk) =>
      sendBatch(
        [0, 1, 2, 3].map((number) => ({ number, devices: devices(500, number * 500) })),
        { chunk, releasedAt: new Date(clock.now()) },
      ),
    );
    await publish(broadcast);
    await until(() => ledger().accepted > 0);
    await publish([batchOf(devices(1), { message: '0A0B-EEFE4D5E-E445B2E9', messageId: 5n, bucket: 9 })], true);
    await until(() => outcomes.some(({ bucket }) => bucket === 9));
    expect(settledSlices()).toBeLessThan(17);
    await until(() => settledSlices() === 17);
  });

  it('ends the devices of a payload that cannot be rendered, with the reason', async () => {
    await start({ log: openLog('silent') });
    const broken = { ...content(), ios: { rootParams: '[1]' } as never };
    await publish([batchOf(devices(2), { content: broken })]);
    await until(() => settledSlices() === 1);
    expect(outcomes[0]?.outcome?.value).toMatchObject({
      failed: [{ category: 'INTERNAL_ERROR', name: 'internal_error' }],
    });
  });

  it('fails only the device whose token or values are too long for a batch', async () => {
    await start();
    const [first, second, third, last] = devices(4) as [TestDevice, TestDevice, TestDevice, TestDevice];
    const long: TestDevice[] = [
      { ...second, token: '', oversized: OVERSIZED.token },
      { ...third, oversized: OVERSIZED.values },
    ];
    await publish([batchOf([first, ...long, last])]);
    await until(() => settledSlices() === 1);
    const set = (...positions: number[]): Buffer => Buffer.from(Bitmap.of(positions).encode());
    expect(outcomes[0]?.outcome?.value).toMatchObject({
      sent: [{ set: set(0, 3) }],
      failed: [
        { category: 'INVALID_CONTENT', code: '0', name: 'values_too_long', set: set(2) },
        { category: 'INVALID_TOKEN', code: '0', name: 'token_too_long', set: set(1) },
      ],
      deadTokens: [],
    });
    expect(ledger()).toMatchObject({ accepted: 2 });
  });

  it('waits for credentials that the registry does not have yet', async () => {
    const platforms = platformsWith(keys.master, credentials);
    let calls = 0;
    await start({
      platforms: {
        getCredential: (request) =>
          ++calls < 2 ? Promise.reject(new Error('not now')) : platforms.getCredential(request),
      },
    });
    await publish([batchOf(devices(2))]);
    await until(() => settledSlices() === 1);
    expect(ledger().accepted).toBe(2);
    expect(calls).toBe(2);
  });

  it('reads a credential once for many batches, and again for a later version', async () => {
    const platforms = platformsWith(keys.master, { 1: { version: 2, settings: credentials[1].settings } });
    await start({ platforms });
    await publish(Array.from({ length: 20 }, (_, chunk) => batchOf(devices(2), { chunk })));
    await until(() => settledSlices() === 20);
    expect(platforms.reads).toBe(1);
  });

  it('has at most 4,000 devices open', async () => {
    await start();
    await simulators.faults.set('apns', { latencyMs: 50 });
    await publish(
      Array.from({ length: 8 }, (_, chunk) =>
        sendBatch(
          [0, 1, 2, 3].map((number) => ({ number, devices: devices(500, number * 500) })),
          { chunk, releasedAt: new Date(clock.now()) },
        ),
      ),
    );
    let most = 0;
    await until(async () => {
      // A slice with late answers counts its unanswered devices (R-LM5).
      most = Math.max(most, (await measured(metrics, 'tidings_dispatch_open_devices'))['apns broadcast'] ?? 0);
      return settledSlices() === 32;
    });
    expect(most).toBeGreaterThan(500);
    expect(most).toBeLessThanOrEqual(8 * 500);
  });

  it('has no open slices and no lease after it closes', async () => {
    const dispatcher = await start();
    await publish(Array.from({ length: 6 }, (_, chunk) => batchOf(devices(400), { chunk })));
    await until(() => ledger().accepted > 0);
    await dispatcher.close();
    expect(await attempts().countDocuments({ state: 'claimed' })).toBe(0);
    expect(await leases().countDocuments()).toBe(0);
  });

  function foreign(batch: SendBatch): AttemptDocument {
    return {
      _id: idOf(batch),
      channel: 'apns',
      lane: 'broadcast',
      credential: 'AAAAA-00000/1',
      state: 'claimed',
      owner: 'other',
      round: 1,
      claimedAt: new Date(5000),
      results: new Binary(),
    };
  }
});
