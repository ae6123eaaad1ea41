import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { messageApplicationKey } from '@tidings/delivery';
import { Content, LiveActivityEvent, MessageEvent, PlanEvent, topicNames } from '@tidings/events';
import { ShiftedClock } from '@tidings/kernel';
import type { MessageRequest } from '@tidings/rpc';
import type { RefusalReason } from '@tidings/messaging';
import { keysFrom } from '@tidings/runtime';
import { consume, type EmbeddedBroker } from '@tidings/streaming';
import { describeWithMongo, testBroker, until } from '@tidings/testing';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { removeExpired } from './messages/message-expiry.ts';
import { openScheduler, type SchedulerService } from './scheduler.ts';
import { acceptingRegistry, requestOf } from './testing/accepting-registry.ts';

const ACCOUNT = 'account';
const APPLICATION = 'AAAAA-BBBBB';
const HOUR_MS = 3_600_000;
const {
  LIVE_ACTIVITY_EVENT_START: START,
  LIVE_ACTIVITY_EVENT_UPDATE: UPDATE,
  LIVE_ACTIVITY_EVENT_END: END,
} = LiveActivityEvent;

describeWithMongo('live activities of the scheduler', (mongo) => {
  const clock = new ShiftedClock();
  let broker: EmbeddedBroker;
  let service: SchedulerService;
  const open = (): Promise<SchedulerService> =>
    openScheduler({
      clock,
      broker,
      log: pino({ level: 'silent' }),
      metrics: new Registry(),
      db: mongo.database('scheduler'),
      keys: keysFrom(new Uint8Array(32)),
      publicUrl: 'https://push.example',
      registry: acceptingRegistry(),
    });
  const draftOf = (id: string, event: LiveActivityEvent): MessageRequest =>
    requestOf({ content: Content.fromPartial({ liveActivity: { id, event, contentState: '{}' } }) });
  const accept = (application: string, messages: MessageRequest[]) =>
    service.messages.accept({ account: ACCOUNT, applications: [application], group: '', grant: undefined, messages });
  const send = async (...drafts: MessageRequest[]): Promise<string[]> =>
    (await accept(APPLICATION, drafts)).messages.map(({ code }) => code);
  const refusal = async (application: string, ...drafts: MessageRequest[]) =>
    (await accept(application, drafts)).refusal;
  const refused = (reason: RefusalReason, notification = 0) => ({ reason, notification, field: 'liveActivity' });
  const sendOne = async (...of: Parameters<typeof draftOf>): Promise<string> => (await send(draftOf(...of)))[0]!;
  const settled = async (): Promise<void> => {
    await until(async () => (await service.operations.settled({})).open.length === 0);
  };
  const statusOf = async (code: string) => (await service.messages.find({ account: ACCOUNT, code })).message?.status;
  const complete = async (message: string): Promise<void> => {
    const at = new Date(clock.now());
    const event: PlanEvent['event'] = { $case: 'fanout', value: { chunks: [] } };
    const value = PlanEvent.encode(PlanEvent.fromPartial({ message, application: APPLICATION, at, event })).finish();
    const key = messageApplicationKey({ message, application: APPLICATION });
    await broker.publish(topicNames.plans, [{ key, value }]);
    await settled();
  };

  beforeAll(async () => {
    broker = await testBroker({ db: mongo.database('log'), clock });
    service = await open();
  });
  afterAll(async () => {
    await service.close();
    await broker.close();
  });

  it('send one update at a time, also after a restart; facts have the key of the activity (R-M3)', async () => {
    const keys = new Map<string, Set<string>>();
    const reading = await consume(broker, {
      group: 'test',
      topics: { [topicNames.messages]: MessageEvent },
      report: () => undefined,
      handler: (records) => {
        for (const { key, value } of records) {
          expect(value.activity).toBe(key);
          keys.set(value.code, (keys.get(value.code) ?? new Set()).add(key));
        }
        return Promise.resolve();
      },
    });
    const [started, first, replaced, second, end] = await send(
      ...[START, UPDATE, UPDATE, UPDATE, UPDATE].map((event) => draftOf('order', event)),
    );
    expect(new Set([started, first, replaced, second, end].map((code) => code![0])).size).toBe(1);
    const statuses = () => Promise.all([first!, replaced!, second!, end!].map(statusOf));
    await settled();
    expect(await statuses()).toEqual(['PROCESSING', 'CANCELED', 'CANCELED', 'PENDING']);
    await service.close();
    service = await open();
    await complete(first!);
    expect(await statuses()).toEqual(['DONE', 'CANCELED', 'CANCELED', 'PROCESSING']);
    await complete(first!);
    await complete(end!);
    expect(await statuses()).toEqual(['DONE', 'CANCELED', 'CANCELED', 'DONE']);
    await until(() => keys.size >= 5);
    expect(new Set([...keys.values()].flatMap((of) => [...of])).size).toBe(1);
    await reading.stop();
  });

  it('are closed 12 hours after their last start, and belong to an application (R-S6, R-M2)', async () => {
    await sendOne('timed', START);
    clock.advance(HOUR_MS);
    await sendOne('timed', START);
    clock.advance(12 * HOUR_MS - 60_000);
    const update = await sendOne('timed', UPDATE);
    clock.advance(60_000);
    for (const event of [UPDATE, END]) {
      expect(await refusal(APPLICATION, draftOf('timed', event))).toMatchObject(refused('activityClosed'));
      expect(await refusal('BBBBB-BBBBB', draftOf('timed', event))).toMatchObject(refused('notFound'));
    }
    await complete(update);
    await sendOne('timed', START);
    await sendOne('timed', UPDATE);
  });

  it('accept all messages of a request or none (R-I1)', async () => {
    await sendOne('all', START);
    const count = () => mongo.database('scheduler').collection('messages').countDocuments();
    const before = await count();
    const drafts = [draftOf('all', UPDATE), draftOf('all', END), draftOf('all', UPDATE)];
    expect(await refusal(APPLICATION, ...drafts)).toMatchObject(refused('activityClosed', 2));
    expect(await refusal(APPLICATION, draftOf('all', UPDATE), draftOf('none', END))).toMatchObject(
      refused('notFound', 1),
    );
    expect(await count()).toBe(before);
    expect(await send(draftOf('new', START), draftOf('new', END))).toHaveLength(2);
  });

  it('are stored for a year after their last message', async () => {
    const stored = mongo.database('scheduler').collection('liveActivities');
    expect(await stored.countDocuments()).toBe(4);
    await removeExpired(mongo.database('scheduler'), clock.now() + 364 * 24 * HOUR_MS);
    expect(await stored.countDocuments()).toBe(4);
    await removeExpired(mongo.database('scheduler'), clock.now() + 366 * 24 * HOUR_MS);
    expect(await stored.countDocuments()).toBe(0);
  });
});
