import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { MessageEvent, type Offsets, PlanEvent, topicNames } from '@tidings/events';
import { messageApplicationKey } from '@tidings/delivery';
import { keysFrom } from '@tidings/runtime';
import type { RecipientsQuery } from '@tidings/rpc';
import { consume, type EmbeddedBroker } from '@tidings/streaming';
import { describeWithMongo, TestClock, testBroker } from '@tidings/testing';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { openScheduler, type SchedulerService } from './scheduler.ts';
import { acceptingRegistry, requestOf } from './testing/accepting-registry.ts';

const ACCOUNT = 'account';
const APPLICATION = 'AAAAA-BBBBB';
const HOUR_MS = 3_600_000;

const includes = ({ ranges, without }: Offsets, offset: number | undefined): boolean =>
  offset === undefined ? without : ranges.some(({ from, to }) => offset >= from && offset <= to);

describeWithMongo('release of messages with a local time', (mongo) => {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  let worlds = 0;

  /** @param offsets in hours; undefined = a device without one */
  const world = async (...offsets: (number | undefined)[]) => {
    const [number, clock] = [++worlds, new TestClock()];
    const broker: EmbeddedBroker = await testBroker({ db: mongo.database(`log${number}`), clock });
    closers.push(() => broker.close());
    const queries: RecipientsQuery[] = [];
    const registry = { offsets, isThere: true };
    const segments = {
      hasRecipients: async (request: { queries: RecipientsQuery[] }) => {
        if (!registry.isThere) throw new Error('the registry is away');
        queries.push(...request.queries);
        const isAmong = (among: Offsets) =>
          registry.offsets.some((hours) => includes(among, hours === undefined ? hours : hours * 3600));
        return { found: request.queries.map(({ among }) => ({ among: among.map(isAmong) })) };
      },
    };
    const open = async (): Promise<SchedulerService> => {
      const service = await openScheduler({
        db: mongo.database(`scheduler${number}`),
        clock,
        broker,
        registry: acceptingRegistry({ segments }),
        log: pino({ level: 'silent' }),
        metrics: new Registry(),
        keys: keysFrom(new Uint8Array(32)),
        publicUrl: 'https://push.example',
      });
      closers.push(() => service.close());
      return service;
    };
    const steps: { code: string; bucket: number; last: boolean; offsets: Offsets | undefined }[] = [];
    const reading = await consume(broker, {
      group: 'test',
      topics: { [topicNames.messages]: MessageEvent },
      report: () => undefined,
      handler: async (records) => {
        for (const { value } of records) {
          const step = value.event?.$case === 'released' ? value.event.value.step : undefined;
          if (step) steps.push({ code: value.code, ...step });
        }
      },
    });
    closers.push(() => reading.stop());
    const wallAt = new Date(Math.ceil(clock.now() / HOUR_MS) * HOUR_MS + 30 * HOUR_MS);
    const create = async (service: SchedulerService): Promise<string> => {
      const localTime = { wallAt, defaultAt: wallAt, pastOffsets: 0 };
      const messages = [requestOf({ sendAt: wallAt, localTime })];
      const request = { account: ACCOUNT, applications: [APPLICATION], group: '', grant: undefined, messages };
      return (await service.messages.accept(request)).messages[0]!.code;
    };
    const settled = async (...services: SchedulerService[]): Promise<void> => {
      for (let open = ['?']; open.length > 0; await setImmediate()) {
        open = (await Promise.all(services.map(({ operations }) => operations.settled({})))).flatMap((all) => all.open);
        if ((await broker.lag('test')).some(({ committed, end }) => committed < end)) open.push('test');
      }
    };
    const at = (hours: number): void => clock.advance((wallAt.getTime() + hours * HOUR_MS - clock.now()) / 1000);
    const statusOf = async (service: SchedulerService, code: string) =>
      (await service.messages.find({ account: ACCOUNT, code })).message?.status;
    return { registry, open, create, settled, at, steps, queries, statusOf, broker, clock };
  };

  it('releases a step per existing offset, and a last one for devices that moved', async () => {
    const { open, create, settled, at, steps, queries, statusOf } = await world(9, 5.75, undefined);
    const service = await open();
    const code = await create(service);
    await settled(service);
    // UTC+14, the first offset, has not reached the local time.
    expect(queries).toEqual([]);
    const seen: [number, string | undefined, number][] = [];
    for (const hours of [-14, -9, -8, -5.75, -1, 0]) {
      at(hours);
      await settled(service);
      seen.push([hours, await statusOf(service, code), steps.length]);
    }
    expect(seen).toEqual([
      [-14, 'PENDING', 0],
      [-9, 'PROCESSING', 1],
      [-8, 'PROCESSING', 1],
      [-5.75, 'PROCESSING', 2],
      [-1, 'PROCESSING', 2],
      [0, 'PROCESSING', 4],
    ]);
    expect(steps.map(({ bucket, last }) => [bucket, last])).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [4, true],
    ]);
    expect(steps.map(({ offsets }) => offsets && includes(offsets, undefined))).toEqual([
      false,
      false,
      true,
      undefined,
    ]);
  });

  it('releases each step once, with two processes, a restart between steps, and an absent registry', async () => {
    const { registry, open, create, settled, at, steps, statusOf } = await world(9, 0, -8);
    const [first, second] = [await open(), await open()];
    const code = await create(first);
    at(-9);
    await settled(first, second);
    expect(steps).toHaveLength(1);
    await first.close();
    await second.close();
    // Steps in Greenwich and California become due meanwhile; then California moves east.
    registry.isThere = false;
    at(0);
    const third = await open();
    expect((await third.operations.settled({})).open).toEqual(['scheduler: steps to release']);
    registry.isThere = true;
    await settled(third);
    expect(steps.map(({ bucket }) => bucket)).toEqual([1, 2]);
    await third.close();
    registry.offsets = [9, 0, 1];
    at(1);
    const fourth = await open();
    await settled(fourth);
    expect(steps.map(({ bucket, last }) => [bucket, last])).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
    expect(await statusOf(fourth, code)).toBe('PROCESSING');
  });

  it('is done when the chunks of all steps are settled, in any order', async () => {
    const { open, create, settled, at, statusOf, broker, clock } = await world(9, 0);
    const service = await open();
    const code = await create(service);
    const plan = (bucket: number, event: PlanEvent['event']): Promise<unknown> => {
      const of = { message: code, application: APPLICATION, at: clock.date, bucket, event };
      const key = messageApplicationKey(of);
      return broker.publish(topicNames.plans, [{ key, value: PlanEvent.encode(PlanEvent.fromPartial(of)).finish() }]);
    };
    const planAll = async (bucket: number): Promise<void> => {
      await plan(bucket, { $case: 'settled', value: { chunk: 0 } });
      await plan(bucket, { $case: 'fanout', value: { chunks: [0] } });
    };
    at(-9);
    await settled(service);
    await planAll(1);
    await settled(service);
    expect(await statusOf(service, code)).toBe('PROCESSING');
    at(0);
    await settled(service);
    await planAll(3);
    await settled(service);
    expect(await statusOf(service, code)).toBe('PROCESSING');
    await planAll(2);
    await settled(service);
    expect(await statusOf(service, code)).toBe('DONE');
  });

  it('cancels a message that has released no step (R-I29)', async () => {
    const { open, create, settled, at, steps, statusOf } = await world(9);
    const service = await open();
    const [kept, canceled] = [await create(service), await create(service)];
    at(-10);
    await settled(service);
    await service.messages.cancel({ account: ACCOUNT, code: canceled });
    at(-9);
    await settled(service);
    expect(steps.map(({ code, last }) => [code, last])).toEqual([[kept, true]]);
    await expect(service.messages.cancel({ account: ACCOUNT, code: kept })).rejects.toThrow('cannot be deleted');
    expect(await statusOf(service, canceled)).toBe('CANCELED');
  });
});
