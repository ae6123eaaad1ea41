import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { api, OutputOf } from '@tidings/contract';
import { batchesTopic, topicNames, topics, SliceOutcome } from '@tidings/events';
import { channels, systemClock } from '@tidings/kernel';
import { startMongod } from '@tidings/local-servers';
import { databaseOf, mongoOptions } from '@tidings/mongo';
import { apnsToken, fcmToken } from '@tidings/simulators';
import { type EmbeddedBroker, openEmbeddedBroker } from '@tidings/streaming';
import {
  brokenInvariants,
  funnelFigures,
  listedMessage,
  platform,
  platformProcess,
  type PlatformWorld,
  type ProcessWorld,
  pushesOf,
  untilDone,
  type World,
} from '@tidings/testing';
import { MongoClient } from 'mongodb';

type DeadLetterPage = OutputOf<typeof api.listDeadLetters>;

const IOS = 1;
const ANDROID = 3;
const providers = ['apns', 'fcm'] as const;
type Provider = (typeof providers)[number];

const registerBoth = (world: World, application: string, n: number, from: number): Promise<void> =>
  world.registerDevices(application, n, (i) => ({
    hwid: `device-${from + i}`,
    ...(i % 2 === 0
      ? { device_type: IOS, push_token: apnsToken('accepted', from + i) }
      : { device_type: ANDROID, push_token: fcmToken('accepted', from + i) }),
  }));

const send = async (world: World, application: string, more: object = {}): Promise<string> => {
  const notifications = [{ content: 'Hello', ...more }];
  return (await world.call('createMessage', { application, notifications })).Messages[0]!;
};

const funnelOf = (world: World, code: string) => world.call('getDeliveryFunnel', { message_code: code });

const brokenBy = async (world: World, application: string, code: string): Promise<string[]> =>
  brokenInvariants(
    await funnelOf(world, code),
    (await listedMessage(world, application, code))?.push_info?.metrics ?? [],
  );

describe('a provider', () => {
  const DEVICES = 1200;
  let world: PlatformWorld;
  let application: string;
  beforeAll(async () => {
    world = await platform();
    application = await world.application();
    await registerBoth(world, application, DEVICES, 0);
  });
  afterEach(() => world.simulators.faults.clear());
  afterAll(() => world?.stop());

  const sentBy = async (code: string): Promise<Record<Provider, number>> => {
    const funnel = await funnelOf(world, code);
    return { apns: funnelFigures(funnel, IOS).sent, fcm: funnelFigures(funnel, ANDROID).sent };
  };
  const pass = async (seconds: number, enough: () => Promise<boolean> = async () => false): Promise<number> => {
    const STEP = 5;
    for (let passed = 0; ; passed += STEP) {
      await world.settle();
      if (passed >= seconds || (await enough())) return passed;
      await world.advance(STEP);
    }
  };

  it.each(providers)(
    'loses no device while it is down for 30 seconds, and does not affect the other provider: %s',
    async (provider) => {
      const other = provider === 'apns' ? 'fcm' : 'apns';
      const before = world.simulators.ledger.of(provider).summary();
      await world.simulators.faults.set(provider, { down: true });
      const code = await send(world, application);
      await pass(30);
      expect(await sentBy(code)).toEqual({ [provider]: 0, [other]: DEVICES / 2 });
      expect(funnelFigures(await funnelOf(world, code)).errors).toEqual({});
      expect((await listedMessage(world, application, code))?.status).toBe('PROCESSING');
      expect(
        brokenInvariants(
          await funnelOf(world, code),
          (await listedMessage(world, application, code))!.push_info!.metrics!,
          {
            inFlight: true,
          },
        ),
      ).toEqual([]);

      await world.simulators.faults.set(provider, { down: false });
      await pass(60, async () => (await sentBy(code))[provider] === DEVICES / 2);
      expect(await sentBy(code)).toEqual({ apns: DEVICES / 2, fcm: DEVICES / 2 });
      expect(funnelFigures(await funnelOf(world, code)).errors).toEqual({});
      expect((await listedMessage(world, application, code))?.status).toBe('DONE');
      expect(await brokenBy(world, application, code)).toEqual([]);
      // It received nothing while it was down, so there are no duplicates.
      const after = world.simulators.ledger.of(provider).summary();
      expect([after.accepted - before.accepted, after.duplicates]).toEqual([DEVICES / 2, before.duplicates]);
    },
  );

  it.each(providers)(
    'loses no device when it stops during a broadcast, and shows no push twice: %s',
    async (provider) => {
      const before = world.simulators.ledger.of(provider).summary();
      await world.simulators.faults.set(provider, { latencyMs: 25 });
      const code = await send(world, application);
      while (pushesOf(world.simulators, provider, code).length === 0) await delay(1);
      await world.simulators.faults.set(provider, { down: true, latencyMs: 0 });
      await pass(10);
      await world.simulators.faults.set(provider, { down: false });
      await pass(60, async () => (await sentBy(code))[provider] === DEVICES / 2);
      expect(await sentBy(code)).toEqual({ apns: DEVICES / 2, fcm: DEVICES / 2 });
      expect(funnelFigures(await funnelOf(world, code)).errors).toEqual({});
      const after = world.simulators.ledger.of(provider).summary();
      expect(after.masked - before.masked).toBe(after.duplicates - before.duplicates);
    },
  );

  it('loses no device while it is silent, and shows no push twice', async () => {
    const before = world.simulators.ledger.summary();
    // The fault ends after a time limit: while it lasts, the world never settles.
    await world.simulators.faults.set('all', { blackhole: true }, 5000);
    const code = await send(world, application);
    let sent = await sentBy(code);
    while (world.simulators.faults.of('apns').blackhole) {
      expect(sent).toEqual({ apns: 0, fcm: 0 });
      await delay(50);
      sent = await sentBy(code);
    }
    await untilDone(world, application, code, { stepSeconds: 10, timeoutSeconds: 300 });
    expect(await sentBy(code)).toEqual({ apns: DEVICES / 2, fcm: DEVICES / 2 });
    expect(funnelFigures(await funnelOf(world, code)).errors).toEqual({});
    const after = world.simulators.ledger.summary();
    for (const name of providers) {
      expect(after[name].masked - before[name].masked).toBe(after[name].duplicates - before[name].duplicates);
    }
  });

  it.each([
    // "Too many requests" concerns one device; "unavailable" concerns the whole provider.
    ['apns', IOS, apnsToken('unavailable', 1, 1), 503],
    ['fcm', ANDROID, fcmToken('throttled', 1), 429],
  ] as const)(
    'is not called during a requested pause, for the token and for the credential: %s',
    async (provider, device_type, push_token, status) => {
      // The provider's clock advances in real time: longer than a busy machine needs.
      const RETRY_AFTER = 300;
      const other = provider === 'apns' ? 'fcm' : 'apns';
      const own = await world.application();
      await registerBoth(world, own, 40, 5000);
      await world.call('registerDevice', { application: own, hwid: 'throttled', device_type, push_token });
      await world.simulators.faults.set(provider, { retryAfterSeconds: RETRY_AFTER });
      await world.call('setDebug', { code: own });

      const first = await send(world, own, { devices: ['throttled'] });
      await world.settle();
      const [refused, ...more] = pushesOf(world.simulators, provider, first);
      expect([refused!.status, more]).toEqual([status, []]);
      const everybody = await send(world, own, { devices: Array.from({ length: 40 }, (_, i) => `device-${5000 + i}`) });
      const broadcast = await send(world, own);
      await pass(10);
      for (const code of [first, everybody, broadcast]) {
        expect(pushesOf(world.simulators, provider, code).filter(({ row }) => row !== refused!.row)).toEqual([]);
      }
      for (const code of [everybody, broadcast]) expect((await sentBy(code))[other]).toBe(20);

      for (const code of [first, everybody, broadcast]) await untilDone(world, own, code, { stepSeconds: 60 });
      const later = [first, everybody, broadcast].flatMap((code) =>
        pushesOf(world.simulators, provider, code).filter(({ row }) => row !== refused!.row),
      );
      expect(later).toHaveLength(1 + 20 + 21);
      for (const { at } of later) expect(at - refused!.at).toBeGreaterThanOrEqual(RETRY_AFTER * 1000);
      expect(funnelFigures(await funnelOf(world, first))).toMatchObject({ sent: 1, failed: 0 });
      expect(funnelFigures(await funnelOf(world, broadcast))).toMatchObject({ sent: 41, failed: 0 });
      await world.simulators.faults.clear();
    },
  );

  it('receives everything while it ends connections and resets streams', async () => {
    const before = world.simulators.ledger.summary();
    await world.simulators.faults.set('all', { goawayEvery: 100, resetEvery: 17 });
    const code = await send(world, application);
    await untilDone(world, application, code, { stepSeconds: 30 });
    await world.simulators.faults.clear();
    expect(await sentBy(code)).toEqual({ apns: DEVICES / 2, fcm: DEVICES / 2 });
    const after = world.simulators.ledger.summary();
    for (const name of providers) {
      expect(after[name].masked - before[name].masked).toBe(after[name].duplicates - before[name].duplicates);
    }
  });
});

describe('the running program', () => {
  const DEVICES = 3000;
  let world: ProcessWorld;
  let application: string;
  beforeAll(async () => {
    world = await platformProcess();
    application = await world.application();
    await registerBoth(world, application, DEVICES, 0);
  });
  afterAll(() => world?.stop());

  const withLog = async <T>(work: (broker: EmbeddedBroker) => Promise<T>): Promise<T> => {
    await world.kill('platform');
    const mongod = await startMongod(join(world.dataFolder, 'mongo'));
    const client = await MongoClient.connect(mongod.url, mongoOptions);
    const broker = await openEmbeddedBroker({
      db: databaseOf(client, 'log'),
      clock: systemClock,
      topics: topics(channels),
      owner: 'test',
    });
    try {
      return await work(broker);
    } finally {
      await broker.close();
      await client.close();
      await world.start();
    }
  };

  const deadLetters = async (): Promise<DeadLetterPage['dead_letters']> => {
    const found: DeadLetterPage['dead_letters'] = [];
    for (let next: string | null = ''; next !== null;) {
      const page: DeadLetterPage = await world.call('listDeadLetters', { limit: 500, ...(next && { after: next }) });
      found.push(...page.dead_letters);
      ({ next } = page);
    }
    return found;
  };

  it('dead-letters records that cannot be read or handled, and processes all others', async () => {
    const garbage = Buffer.from('ffffffffffffffffffffff', 'hex');
    // An invalid set is detected only when it is used.
    const unusable = SliceOutcome.encode(
      SliceOutcome.fromPartial({
        message: 'unusable',
        application,
        platform: IOS,
        variant: 'alert',
        outcome: {
          $case: 'settled',
          value: { sent: [{ platform: IOS, hour: 1, set: garbage }], claimedAt: new Date() },
        },
      }),
    ).finish();
    const spoilt: readonly string[] = [
      ...[topicNames.messages, topicNames.fanout, topicNames.fanoutDirect, topicNames.plans, topicNames.outcomes],
      ...[topicNames.reports, topicNames.devices],
      ...channels.flatMap((channel) => [batchesTopic(channel, false), batchesTopic(channel, true)]),
    ];
    // Many keys, so that every partition gets some.
    const keys = Array.from({ length: 40 }, (_, i) => `garbage-${i}`);
    await withLog(async (broker) => {
      for (const topic of spoilt)
        await broker.publish(
          topic,
          keys.map((key) => ({ key, value: garbage })),
        );
      await broker.publish(topicNames.outcomes, [{ key: 'unusable', value: unusable }]);
    });

    const broadcast = await send(world, application);
    const names = Array.from({ length: 100 }, (_, i) => `device-${i}`);
    const named = await send(world, application, { devices: names });
    await world.settle(60_000);
    for (const [code, count] of [
      [broadcast, DEVICES],
      [named, names.length],
    ] as const) {
      expect((await listedMessage(world, application, code))?.status).toBe('DONE');
      expect(funnelFigures(await funnelOf(world, code))).toMatchObject({ eligible: count, sent: count, failed: 0 });
    }
    // Concurrent registration leaves the device's number undefined, and a hash is valid for one device.
    const push = pushesOf(world.simulators, 'fcm', named).find(({ token }) => token === fcmToken('accepted', 1));
    await world.call('pushStat', { application, hwid: 'device-1', hash: push!.hash });
    await world.call('registerDevice', {
      application,
      hwid: 'device-1',
      device_type: ANDROID,
      push_token: fcmToken('accepted', 1),
    });
    await world.settle();
    expect(funnelFigures(await funnelOf(world, named)).opened).toBe(1);
    expect(await brokenBy(world, application, named)).toEqual([]);

    const found = await deadLetters();
    for (const topic of spoilt) {
      const ofTopic = found.filter((record) => record.topic === topic && record.reason === 'decode');
      const groups = Map.groupBy(ofTopic, ({ group }) => group);
      // Each group dead-letters unreadable records once, with the original bytes.
      expect([topic, groups.size]).not.toEqual([topic, 0]);
      for (const [group, of] of groups) {
        expect([topic, group, of.map(({ key }) => key).sort()]).toEqual([topic, group, [...keys].sort()]);
        expect(new Set(of.map(({ payload_bytes }) => payload_bytes))).toEqual(new Set([garbage.length]));
        expect(await world.call('getDeadLetter', { id: of[0]!.id })).toMatchObject({
          payload: garbage.toString('base64'),
        });
      }
    }
    const handled = found.filter(({ reason }) => reason === 'handler');
    expect(handled.map(({ key }) => key)).toContain('unusable');
    expect(new Set(handled.map(({ key }) => key))).toEqual(new Set(['unusable']));

    // They fail again, and become dead letters again.
    const selected = { topic: topicNames.outcomes, reason: 'handler' };
    const ofOutcomes = handled.filter(({ topic }) => topic === topicNames.outcomes).length;
    const redriven = await world.call('redriveDeadLetters', selected);
    expect(redriven).toEqual({ redriven: ofOutcomes, stuck: [], next: null });
    await world.settle();
    const again = (await deadLetters()).filter(({ reason }) => reason === 'handler');
    expect(again.map(({ key }) => key)).toEqual(handled.map(({ key }) => key));
  });

  it('loses nothing when it is terminated during all kinds of work', async () => {
    await world.simulators.faults.set('all', { latencyMs: 30 });
    const before = world.simulators.ledger.summary();
    const acknowledged: string[] = [];
    const messages: string[] = [];
    let ending = false;
    let next = 0;
    const load = async (): Promise<void> => {
      while (!ending) {
        const hwid = `late-${next++}`;
        try {
          await world.call('registerDevice', { application, hwid, device_type: ANDROID, tags: { Language: 'de' } });
          acknowledged.push(hwid);
          if (acknowledged.length % 10 === 0)
            messages.push(
              await send(world, application, { devices: Array.from({ length: 10 }, (_, i) => `device-${i}`) }),
            );
        } catch {
          // The process is shutting down or has ended; an unacknowledged call may be lost.
        }
      }
    };
    const code = await send(world, application);
    const loads = Promise.all(Array.from({ length: 8 }, load));
    const reached = (): number =>
      providers.reduce((sum, name) => sum + pushesOf(world.simulators, name, code).length, 0);
    while (reached() < DEVICES / 3) await delay(2);
    const ended = world.end();
    // Exit code 0: everything closed within the limit of 24 seconds.
    expect(await ended).toBe(0);
    ending = true;
    await loads;
    await world.start();
    await world.simulators.faults.clear();
    await world.settle(60_000);

    for (const each of [code, ...messages]) {
      expect([each, (await listedMessage(world, application, each))?.status]).toEqual([each, 'DONE']);
      expect(await brokenBy(world, application, each)).toEqual([]);
    }
    expect(funnelFigures(await funnelOf(world, code))).toMatchObject({ eligible: DEVICES, sent: DEVICES, failed: 0 });
    for (const each of messages) expect(funnelFigures(await funnelOf(world, each)).sent).toBe(10);
    expect(acknowledged.length).toBeGreaterThan(10);
    const kept = await Promise.all(acknowledged.map((hwid) => world.reply('getTags', { application, hwid })));
    expect(kept.filter(({ body }) => (body as { status_code: number }).status_code !== 200)).toEqual([]);
    // Shutdown waited for the pushes in flight.
    const after = world.simulators.ledger.summary();
    for (const name of providers) expect(after[name].duplicates).toBe(before[name].duplicates);
  });
});
