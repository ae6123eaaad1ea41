import { messageApplicationKey } from '@tidings/delivery';
import { Content, MessageAccepted, MessageEvent, PlanEvent, topicNames, VisitEvent } from '@tidings/events';
import { ShiftedClock } from '@tidings/kernel';
import { ListMessagesRequest, type MessageRequest, Recipients } from '@tidings/rpc';
import { consume, type EmbeddedBroker } from '@tidings/streaming';
import { describeWithMongo, testBroker, until } from '@tidings/testing';
import { keysFrom } from '@tidings/runtime';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Completion } from './messages/completion.ts';
import { removeExpired } from './messages/message-expiry.ts';
import { messageMetrics } from './messages/message-metrics.ts';
import { openScheduler, type SchedulerService } from './scheduler.ts';
import { acceptingRegistry, requestOf } from './testing/accepting-registry.ts';

const ACCOUNT = 'account';
const APPLICATION = 'AAAAA-BBBBB';

describeWithMongo('scheduler', (mongo) => {
  const clock = new ShiftedClock();
  let broker: EmbeddedBroker;
  let service: SchedulerService;
  let metrics: Registry;
  const open = (): Promise<SchedulerService> => {
    metrics = new Registry();
    return openScheduler({
      clock,
      broker,
      log: pino({ level: 'silent' }),
      metrics,
      db: mongo.database('scheduler'),
      keys: keysFrom(new Uint8Array(32)),
      publicUrl: 'https://push.example',
      registry: acceptingRegistry(),
    });
  };
  const accept = async (applications: string[], ...messages: MessageRequest[]) =>
    (await service.messages.accept({ account: ACCOUNT, applications, group: '', grant: undefined, messages })).messages;
  const create = async (transactionId = '', over: Partial<MessageAccepted> = {}, linkToShorten = '') => {
    const { applications = [APPLICATION], ...message } = over;
    const content = linkToShorten === '' ? {} : { content: Content.fromPartial({ link: linkToShorten }) };
    const [created] = await accept(applications, requestOf({ ...message, ...content }, { transactionId }));
    return created!;
  };
  const list = (over: Partial<ListMessagesRequest> = {}) =>
    service.messages.list(
      ListMessagesRequest.fromPartial({ account: ACCOUNT, application: APPLICATION, limit: 10, ...over }),
    );
  const settled = (): Promise<void> => until(async () => (await service.operations.settled({})).open.length === 0);
  const incidents = async (kind: string): Promise<number> => {
    const { values } = await metrics.getSingleMetric('tidings_consumer_incidents_total')!.get();
    return values.filter(({ labels }) => labels['kind'] === kind).reduce((sum, { value }) => sum + value, 0);
  };
  const behind = async (): Promise<number> =>
    (await broker.lag('scheduler')).filter(({ committed, end }) => committed < end).length;
  const plan = (message: string, event: PlanEvent['event'], over: Partial<PlanEvent> = {}): Promise<unknown> => {
    const at = new Date(clock.now());
    const value = PlanEvent.encode(
      PlanEvent.fromPartial({ message, application: APPLICATION, at, event, ...over }),
    ).finish();
    return broker.publish(topicNames.plans, [
      { key: messageApplicationKey({ message, application: APPLICATION }), value },
    ]);
  };

  beforeAll(async () => {
    broker = await testBroker({ db: mongo.database('log'), clock });
    service = await open();
  });
  afterAll(async () => {
    await service.close();
    await broker.close();
  });

  it('creates one message for 50 concurrent repeats, and remembers it for 300 s and across a restart', async () => {
    const repeats = await Promise.all(Array.from({ length: 50 }, () => create('order-1')));
    expect(new Set(repeats.map(({ code }) => code)).size).toBe(1);
    expect(repeats.filter(({ repeat }) => !repeat)).toHaveLength(1);
    await service.close();
    service = await open();
    clock.advance(290_000);
    expect(await create('order-1')).toMatchObject({ code: repeats[0]!.code, repeat: true });
    clock.advance(10_001);
    expect(await create('order-1')).toMatchObject({ repeat: false });
  });

  it('treats the second of two equal transactionIds in one request as a repeat', async () => {
    const messages = await accept([APPLICATION], ...[1, 2].map(() => requestOf({}, { transactionId: 'twice' })));
    expect(messages.map(({ repeat }) => repeat)).toEqual([false, true]);
  });

  it('completes a message when its last chunk is settled, in any order of facts', async () => {
    const { code } = await create();
    const status = async () => (await service.messages.find({ account: ACCOUNT, code })).message?.status;
    await plan(code, { $case: 'settled', value: { chunk: 1 } });
    await plan(code, { $case: 'fanout', value: { chunks: [0, 1] } });
    await settled();
    expect(await status()).toBe('PROCESSING');
    await plan(code, { $case: 'settled', value: { chunk: 0 } });
    await settled();
    expect(await status()).toBe('DONE');
  });

  it('keeps the progress of open messages only', async () => {
    const [open, done] = [(await create()).code, (await create()).code];
    for (const code of [open, done]) await plan(code, { $case: 'fanout', value: { chunks: [0] } });
    await plan(done, { $case: 'settled', value: { chunk: 0 } });
    await settled();
    const db = mongo.database('scheduler');
    const progress = db.collection<{ _id: string }>('progress');
    const kept = async () =>
      (await progress.find({ _id: { $in: [open, done, 'removed'] } }).toArray()).map(({ _id }) => _id);
    expect(await kept()).toEqual([open]);
    await progress.insertMany([{ _id: done }, { _id: 'removed' }]);
    const writer = { submit: () => Promise.reject(new Error('closes nothing')) } as never;
    await new Completion({ db, clock, writer }).removeOrphans();
    expect(await kept()).toEqual([open]);
  });

  it('completes a message whose facts arrive before its state, and skips those of removed messages', async () => {
    const code = '8ABC-00000000-00000001';
    await plan(
      '8ABC-00000000-00000002',
      { $case: 'settled', value: { chunk: 0 } },
      { at: new Date(clock.now() - 7_200_000) },
    );
    await plan(code, { $case: 'fanout', value: { chunks: [0] } });
    await plan(code, { $case: 'settled', value: { chunk: 0 } }, { bucket: 1 });
    await until(async () => (await incidents('retried')) > 0 || (await behind()) === 0);
    const at = new Date(clock.now());
    const accepted = MessageAccepted.fromPartial({ applications: [APPLICATION], content: {}, openUntil: at });
    const visit = { account: ACCOUNT, application: APPLICATION, at, stamp: { log: 'visits', position: 1n, index: 0 } };
    const event = { $case: 'entered' as const, value: { message: code, accepted, linkToShorten: '' } };
    const value = VisitEvent.encode(VisitEvent.fromPartial({ ...visit, event })).finish();
    await broker.publish(topicNames.visits, [{ key: APPLICATION, value }]);
    await settled();
    expect((await service.messages.find({ account: ACCOUNT, code })).message?.status).toBe('DONE');
  });

  it('groups all visits in one message, which each joins once, and completes it when they are settled and its day is over', async () => {
    const openUntil = new Date(clock.now() + 3_600_000);
    const accepted = MessageAccepted.fromPartial({
      applications: [APPLICATION],
      content: {},
      source: 'GEO_ZONE',
      openUntil,
      audience: { target: { $case: 'named', value: { seqs: [7] } }, platforms: [3] },
    });
    const code = '7ABC-00000000-00000001';
    const entered = { message: code, accepted, linkToShorten: 'https://example.com/17' };
    const publishVisit = (position: bigint) => {
      const visit = { account: ACCOUNT, application: APPLICATION, at: new Date(clock.now()) };
      const event = { $case: 'entered' as const, value: entered };
      const stamp = { log: `visits-${APPLICATION}`, position, index: 0 };
      const value = VisitEvent.encode(VisitEvent.fromPartial({ ...visit, stamp, event })).finish();
      return broker.publish(topicNames.visits, [{ key: APPLICATION, value }]);
    };
    const status = async () => (await service.messages.find({ account: ACCOUNT, code })).message?.status;
    const settle = (bucket: number) => plan(code, { $case: 'settled', value: { chunk: 0 } }, { bucket });
    const joined: MessageEvent[] = [];
    const subscription = await consume(broker, {
      group: 'spec',
      topics: { [topicNames.messages]: MessageEvent },
      report: () => undefined,
      handler: (records) => {
        joined.push(
          ...records.map(({ value }) => value).filter((each) => each.code === code && each.event?.$case === 'joined'),
        );
        return Promise.resolve(records.length);
      },
    });

    await Promise.all([publishVisit(1n), publishVisit(1n)]);
    await settled();
    await service.close();
    service = await open();
    await Promise.all([publishVisit(1n), publishVisit(2n)]);
    await settled();
    const { messages } = await list({ source: 'GEO_ZONE', withDetails: true });
    expect(messages).toMatchObject([{ code, status: 'PROCESSING', message: { audience: { platforms: [3] } } }]);
    const { message: opened } = await service.messages.find({ account: ACCOUNT, code });
    expect(opened!.message!.audience!.target).toBeUndefined();
    const link = opened!.message!.content!.link!;
    expect(await service.messages.followLink({ code: link.split('/').at(-1)! })).toEqual({
      url: 'https://example.com/17',
    });
    await until(async () => (await broker.lag('spec')).every(({ committed, end }) => committed >= end));
    await subscription.stop();
    expect(joined.map(({ event }) => event?.value)).toMatchObject(
      [1, 2].map((bucket) => ({ bucket, message: { audience: accepted.audience } })),
    );

    await settle(2);
    clock.advance(3_600_000);
    await settled();
    expect(await status()).toBe('PROCESSING');
    await settle(1);
    await settled();
    expect(await status()).toBe('DONE');
    await publishVisit(3n);
    await settled();
    expect(await status()).toBe('DONE');
  });

  it('completes a message with settled recipients as soon as its day is over', async () => {
    const openUntil = new Date(clock.now() + 1000);
    const code = '7ABC-00000000-00000002';
    const accepted = MessageAccepted.fromPartial({ applications: [APPLICATION], openUntil });
    const stamp = { log: `visits-${APPLICATION}`, position: 9n, index: 0 };
    const event = { $case: 'entered' as const, value: { message: code, accepted } };
    const visit = VisitEvent.fromPartial({ account: ACCOUNT, at: new Date(clock.now()), stamp, event });
    await broker.publish(topicNames.visits, [{ key: APPLICATION, value: VisitEvent.encode(visit).finish() }]);
    await settled();
    await plan(code, { $case: 'settled', value: { chunk: 0 } }, { bucket: 1 });
    clock.advance(1000);
    await settled();
    expect((await service.messages.find({ account: ACCOUNT, code })).message?.status).toBe('DONE');
  });

  it('completes a message without recipients', async () => {
    const { code } = await create();
    await plan(code, { $case: 'fanout', value: { chunks: [] } });
    await settled();
    expect((await service.messages.find({ account: ACCOUNT, code })).message?.status).toBe('DONE');
  });

  it('measures the age of the oldest released message that is not completed', async () => {
    const finish = (code: string) => plan(code, { $case: 'fanout', value: { chunks: [] } });
    const seconds = async (): Promise<number> => {
      await settled();
      return (await metrics.getSingleMetric('tidings_scheduler_oldest_unfinished_seconds')!.get()).values[0]!.value;
    };
    for (const { code } of (await list({ limit: 100 })).messages) await finish(code);
    expect(await seconds()).toBe(0);
    const first = await create();
    clock.advance(3_600_000);
    const second = await create();
    clock.advance(60_000);
    expect(Math.floor((await seconds()) / 60)).toBe(61);
    await finish(first.code);
    expect(Math.floor((await seconds()) / 60)).toBe(1);
    await finish(second.code);
    expect(await seconds()).toBe(0);
  });

  it('lists the messages of the filter, newest first, without hidden ones', async () => {
    const hidden = await create('', { hidden: true });
    clock.advance(1000);
    const [broadcast, listed] = [await create(), await create('', { listedRecipients: true })];
    const newest = await list({ limit: 2 });
    expect(newest.messages.map(({ code }) => code)).toEqual([listed.code, broadcast.code]);
    expect((await list({ codes: [hidden.code] })).total).toBe(0n);
    expect((await list({ codes: [listed.code], listedRecipients: false })).total).toBe(0n);
    expect((await list({ application: 'other' })).total).toBe(0n);
    expect(hidden.answer).toBe('CODE_NOT_AVAILABLE');
    expect((await service.messages.find({ account: 'other', code: listed.code })).message).toBeUndefined();
  });

  it('ends a large reply early, and answers the rest on request', async () => {
    const application = 'LARGE-00001';
    const content = Content.fromPartial({ text: { entries: [{ language: 'default', text: 'x'.repeat(1 << 20) }] } });
    for (let i = 0; i < 10; i++) await create('', { applications: [application], content });
    const first = await list({ application, withDetails: true });
    expect([first.total, first.messages.length]).toEqual([10n, 8]);
    const rest = await list({ application, withDetails: true, skip: 8 });
    expect(new Set([...first.messages, ...rest.messages].map(({ code }) => code)).size).toBe(10);
    expect((await list({ application })).messages).toHaveLength(10);
  });

  it('lists a message under the platforms that it reaches (R-RES22)', async () => {
    const to = (platforms: number[], names?: string[]) =>
      requestOf(
        {},
        {
          platforms: { platforms },
          ...(names && { recipients: Recipients.fromPartial({ recipients: { $case: 'devices', value: { names } } }) }),
        },
      );
    const messages = await accept(
      ['REACH-00001'],
      requestOf({}),
      to([3]),
      to([], ['1']),
      to([], ['14']),
      to([1], ['14']),
    );
    const listed = async (platforms: number[]): Promise<number[]> => {
      const found = await list({ application: 'REACH-00001', platforms });
      return found.messages.map(({ code }) => messages.findIndex((each) => each.code === code)).sort();
    };
    expect(await listed([])).toEqual([0, 1, 2, 3, 4]);
    expect(await listed([3])).toEqual([0, 1]);
    expect(await listed([1])).toEqual([0, 2]);
    expect(await listed([14])).toEqual([3]);
    expect(await listed([18])).toEqual([]);
  });

  it('releases a scheduled message when it is due, also after a restart, and once', async () => {
    const { code } = await create('', { sendAt: new Date(clock.now() + 7_200_000) });
    const status = async () => (await service.messages.find({ account: ACCOUNT, code })).message!.status;
    const dueFor = async (): Promise<number> => {
      const registry = new Registry();
      messageMetrics(registry, mongo.database('scheduler'), clock);
      return (await registry.getSingleMetric('tidings_scheduler_oldest_due_seconds')!.get()).values[0]!.value;
    };
    await settled();
    expect(await status()).toBe('PENDING');
    clock.advance(7_199_000);
    await settled();
    expect(await status()).toBe('PENDING');
    await service.close();
    clock.advance(3000);
    expect(await dueFor()).toBeGreaterThanOrEqual(2);
    service = await open();
    const second = await open();
    await settled();
    await second.close();
    expect(await status()).toBe('PROCESSING');
    expect(await dueFor()).toBe(0);
    const commits = mongo.database('scheduler').collection<{ events: { buffer: Uint8Array }[] }>('messages.commits');
    const stored = (await commits.find().toArray()).flatMap(({ events }) => events.map((event) => event.buffer));
    const cases = stored.map((bytes) => MessageEvent.decode(bytes)).filter((event) => event.code === code);
    expect(cases.map(({ event }) => event?.$case)).toEqual(['accepted', 'released']);
  });

  it('cancels a message before its release', async () => {
    const canceled = await create('', { sendAt: new Date(clock.now() + 3_600_000) });
    const kept = await create('', { sendAt: new Date(clock.now() + 3_600_000) });
    const cancel = (code: string) => service.messages.cancel({ account: ACCOUNT, code });
    await cancel(canceled.code);
    const { message } = await service.messages.find({ account: ACCOUNT, code: canceled.code });
    expect(message).toMatchObject({ status: 'CANCELED', releasedAt: undefined });
    await expect(cancel(canceled.code)).rejects.toThrow('Message cannot be deleted');
    await expect(cancel('A000-00000000-00000000')).rejects.toThrow('Message not found');
    await expect(service.messages.cancel({ account: 'other', code: kept.code })).rejects.toThrow('Message not found');
    clock.advance(3_600_001);
    await settled();
    expect((await service.messages.find({ account: ACCOUNT, code: kept.code })).message?.status).toBe('PROCESSING');
  });

  it('stops a message once, and publishes that for the dispatchers', async () => {
    const { code } = await create();
    const scheduled = await create('', { sendAt: new Date(clock.now() + 3_600_000) });
    const stop = (of: string) => service.messages.stop({ code: of });
    const first = await stop(code.toLowerCase());
    expect(first).toMatchObject({ status: 'PROCESSING', stoppedAt: expect.any(Date) as Date });
    clock.advance(5_000);
    expect(await stop(code)).toEqual(first);
    expect(await stop(scheduled.code)).toEqual({ status: 'CANCELED', stoppedAt: undefined });
    await expect(stop('A000-00000000-00000000')).rejects.toThrow('Message not found');
    await plan(code, { $case: 'fanout', value: { chunks: [0] } });
    await plan(code, { $case: 'settled', value: { chunk: 0 } });
    await settled();
    expect(await stop(code)).toEqual({ ...first, status: 'DONE' });
    const stops: string[] = [];
    const topics = { [topicNames.stops]: MessageEvent };
    const handler = async (records: readonly { value: MessageEvent }[]) =>
      void stops.push(...records.map(({ value }) => value.code));
    const reading = await consume(broker, { group: 'stops', topics, handler });
    await until(() => stops.length > 0);
    await reading.stop();
    expect(stops).toEqual([code]);
  });

  it('shows and stores a message for 365 days from its send date', async () => {
    const DAY_MS = 86_400_000;
    const [now, ahead] = await Promise.all([
      create('', {}),
      create('', { sendAt: new Date(clock.now() + 364 * DAY_MS) }),
    ]);
    const states = mongo.database('scheduler').collection<{ _id: string }>('messages');
    const codes = [now.code, ahead.code];
    const shown = async () => {
      const found = await Promise.all(codes.map((code) => service.messages.find({ account: ACCOUNT, code })));
      const { messages } = await list({ codes });
      const ids = await states.find({ _id: { $in: codes } }).toArray();
      return { found: found.map(({ message }) => !!message), listed: messages.length, stored: ids.length };
    };
    expect(await shown()).toEqual({ found: [true, true], listed: 2, stored: 2 });
    clock.advance(366 * DAY_MS);
    await settled();
    expect(await shown()).toMatchObject({ found: [false, true], listed: 1 });
    await removeExpired(mongo.database('scheduler'), clock.now());
    expect(await shown()).toEqual({ found: [false, true], listed: 1, stored: 1 });
    clock.advance(364 * DAY_MS);
    expect(await shown()).toMatchObject({ found: [false, false], listed: 0 });
    await removeExpired(mongo.database('scheduler'), clock.now());
    expect(await shown()).toMatchObject({ stored: 0 });
  });

  it('shortens a link, which redirects for a year', async () => {
    const { code } = await create('', {}, 'https://example.com/a?b=1');
    const { message } = await service.messages.find({ account: ACCOUNT, code });
    const link = message!.message!.content!.link!;
    expect(link).toMatch(/^https:\/\/push\.example\/s\/[0-9a-zA-Z]{8}$/);
    const follow = async () => (await service.messages.followLink({ code: link.slice(-8) })).url;
    expect(await follow()).toBe('https://example.com/a?b=1');
    clock.advance(365 * 86_400_000);
    expect(await follow()).toBe('');
  });

  it('advances its clock to the given time, once', async () => {
    const aheadMs = BigInt(clock.aheadMs + 5000);
    const first = await service.operations.advanceClock({ aheadMs });
    const second = await service.operations.advanceClock({ aheadMs });
    expect(Number(second.nowMs - first.nowMs)).toBeLessThan(5000);
  });
});
