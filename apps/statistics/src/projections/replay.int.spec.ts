import { hourOf, messageChunkKey, noMailColumns } from '@tidings/delivery';
import {
  Conversion,
  MessageEvent,
  PlanEvent,
  ReportKind,
  Reports,
  SliceOutcome,
  type Topic,
  topicNames,
  topics as allTopics,
} from '@tidings/events';
import { Bitmap, ShiftedClock } from '@tidings/kernel';
import { invalidDocuments } from '@tidings/mongo';
import { keysFrom, openMetrics } from '@tidings/runtime';
import type { EmbeddedBroker } from '@tidings/streaming';
import { describeWithMongo, testBroker, until } from '@tidings/testing';
import { pino } from 'pino';
import { collections } from '../collections.ts';
import { openStatistics, type StatisticsService } from '../statistics.ts';
import { documentHashes } from '../testing/document-hashes.ts';

const DAY_MS = 86_400_000;
const APPLICATIONS = ['AAAAA-BBBBB', 'CCCCC-DDDDD'] as const;
const MESSAGES = ['A0B1-1', 'A0B1-2', 'A0B1-3'];
const HIDDEN = 'A0B1-9';
const set = (...positions: number[]): Buffer => Buffer.from(Bitmap.of(positions).encode());

type Published = readonly [topic: string, key: string, value: Uint8Array];

const eventOf = (code: string, at: Date, event: MessageEvent['event']): Uint8Array =>
  MessageEvent.encode(MessageEvent.fromPartial({ code, at, event })).finish();

function historyOf(message: string, at: Date, hidden = false): Published[] {
  const second = Math.floor(at.getTime() / 1000);
  const openingEvents = [
    eventOf(message, at, { $case: 'accepted', value: { hidden } as never }),
    eventOf(message, at, { $case: 'released', value: {} as never }),
  ];
  const ofApplication = (application: string): Published[] => {
    const of = { message, application };
    const key = messageChunkKey({ ...of, chunk: 2 });
    const eligible = [{ platform: 1, set: set(0, 1, 2, 3, 4, 5, 6, 7, 8, 9) }];
    const sent = [{ platform: 1, hour: hourOf(at), set: set(0, 1, 2, 3, 4, 5, 6, 7), notDisplayable: set(3) }];
    const failed = [{ category: 'INVALID_TOKEN', code: '410', name: 'x', platform: 1, hour: hourOf(at), set: set(8) }];
    const opened = Reports.encode({
      ...of,
      messageId: 1n,
      account: 'a',
      chunk: 2,
      kind: ReportKind.REPORT_KIND_OPENED,
      entry: undefined,
      positions: [1, 2, 3, 4],
      platforms: [1, 1, 1, 1],
      at: [1, 2, 3, 4].map((later) => second + later),
      ...noMailColumns,
    }).finish();
    const purchases = [1, 2, 3].map((position) =>
      Conversion.encode(
        Conversion.fromPartial({
          application,
          chunk: 2,
          position,
          name: 'Buy',
          amount: position,
          currency: 'EUR',
          at: new Date(at.getTime() + 60_000),
          stamp: { log: 'd', position: BigInt(second), index: position },
        }),
      ).finish(),
    );
    return [
      [
        topicNames.plans,
        key,
        PlanEvent.encode(
          PlanEvent.fromPartial({ ...of, event: { $case: 'chunk', value: { chunk: 2, eligible } } }),
        ).finish(),
      ],
      [
        topicNames.outcomes,
        key,
        SliceOutcome.encode(
          SliceOutcome.fromPartial({ ...of, chunk: 2, outcome: { $case: 'settled', value: { sent, failed } } }),
        ).finish(),
      ],
      [topicNames.reports, key, opened],
      ...purchases.map((value): Published => [topicNames.conversions, `${application}/2`, value]),
    ];
  };
  return [
    ...openingEvents.map((value): Published => [topicNames.messages, message, value]),
    ...(hidden ? [] : openingEvents.map((value): Published => [topicNames.messageTimes, message, value])),
    ...APPLICATIONS.flatMap(ofApplication),
  ];
}

describeWithMongo('a replay', (mongo) => {
  const clock = new ShiftedClock();
  const now = (): Date => new Date(clock.now());
  /** A funnel counts reports up to its query, so such a history must be over. */
  const earlier = (): Date => new Date(clock.now() - 600_000);
  let world = 0;
  let broker: EmbeddedBroker;
  let service: StatisticsService;
  let database: string;

  const open = (): Promise<StatisticsService> =>
    openStatistics({
      clock,
      broker,
      log: pino({ level: 'silent' }),
      metrics: openMetrics(),
      db: mongo.database(database),
      keys: keysFrom(new Uint8Array(32)),
    });
  const start = async (topics: readonly Topic[] = allTopics([])): Promise<void> => {
    database = `statistics${++world}`;
    broker = await testBroker({ db: mongo.database(`log${world}`), clock, topics });
    service = await open();
  };
  afterEach(async () => {
    await service.close();
    await broker.close();
  });

  const publish = async (records: readonly Published[]): Promise<void> => {
    for (const [topic, key, value] of records) await broker.publish(topic, [{ key, value }]);
  };
  const settled = (): Promise<void> => until(async () => (await service.operations.settled({})).open.length === 0);
  const figures = async (messages: readonly string[] = [...MESSAGES, HIDDEN]): Promise<unknown> => {
    const { messages: metrics } = await service.statistics.metrics({ messages: [...messages] });
    const others = messages.map(async (message) => [
      await service.statistics.totals({ message, platforms: [] }),
      { ...(await service.statistics.funnel({ message, platforms: [], trackingOff: false })), windowTo: undefined },
    ]);
    return { metrics, others: await Promise.all(others) };
  };
  const documents = (): Promise<ReadonlyMap<string, string>> => documentHashes(mongo.database(database), now());
  const ofApplication = async (application: string): Promise<string[]> =>
    [...(await documents()).keys()].filter((id) => id.includes(application));
  const expectRemaining = async (expected: readonly string[]): Promise<void> => {
    const found = async () => {
      const names = (await mongo.database(database).collections()).map(({ collectionName }) => collectionName);
      return names.filter((name) => /^(activities|groups|messages)/.test(name)).toSorted();
    };
    await until(async () => (await found()).length <= expected.length);
    expect(await found()).toEqual(expected);
    expect((await broker.groups()).filter((name) => name.includes('replay'))).toEqual([]);
  };
  const replayed = async (projection: string) => {
    await service.statistics.startReplay({ projection });
    await settled();
    const { replay } = await service.statistics.lastReplay({});
    expect(replay?.finished).toBeDefined();
    return replay!;
  };

  it('gives the same figures and documents three times (T4), with facts and queries that arrive meanwhile', async () => {
    await start();
    await publish(MESSAGES.slice(0, 2).flatMap((message) => historyOf(message, earlier())));
    await publish(historyOf(HIDDEN, earlier(), true));
    await publish([
      [topicNames.plans, 'poison', Uint8Array.of(255)],
      [topicNames.messageTimes, 'poison', Uint8Array.of(255)],
    ]);
    await settled();
    const before = await figures(MESSAGES.slice(0, 2));
    await service.statistics.startReplay({ projection: 'statistics' });
    await expect(service.statistics.startReplay({ projection: 'conversions' })).rejects.toMatchObject({
      kind: 'conflict',
    });
    await publish(historyOf(MESSAGES[2]!, earlier()));
    while (!(await service.statistics.lastReplay({})).replay?.finished)
      expect(await figures(MESSAGES.slice(0, 2))).toEqual(before);
    await settled();
    const after = await figures();
    expect(await figures(MESSAGES.slice(0, 2))).toEqual(before);
    const { replay } = await service.statistics.lastReplay({});
    expect(replay).toMatchObject({ id: 1, projection: 'statistics', skipped: 2n, kept: undefined });
    expect(replay!.topics.map(({ topic, handled, total }) => [topic, handled === total])).toEqual(
      ['message-times', 'messages', 'outcomes', 'plans', 'reports'].map((name) => [`tidings.${name}`, true]),
    );
    const hashes = await documents();
    for (const projection of ['conversions', 'statistics', 'conversions']) await replayed(projection);
    expect(await figures()).toEqual(after);
    expect(await documents()).toEqual(hashes);
    const db = mongo.database(database);
    expect(await invalidDocuments(db, collections)).toEqual([]);
    clock.advance(70_000);
    await service.close();
    service = await open();
    await expectRemaining(['activities_4', 'groups_3', 'messages_3']);
    expect(await figures()).toEqual(after);
  });

  it('restores dropped figures, 60 days later as well, and continues after it was killed', async () => {
    await start();
    const [first] = MESSAGES as [string];
    await publish(historyOf(first, now()));
    await publish(historyOf(HIDDEN, now(), true));
    await publish(historyOf(MESSAGES[1]!, now()));
    const purged = { application: APPLICATIONS[1], whole: false };
    for (const topic of [topicNames.messages, topicNames.messageTimes])
      await publish(
        MESSAGES.slice(0, 2).map((code) => [topic, code, eventOf(code, now(), { $case: 'purged', value: purged })]),
      );
    await settled();
    clock.advance(11_000);
    await settled();
    expect(await ofApplication(purged.application)).toEqual([]);
    // Facts that come after the deletion.
    await publish(historyOf(first, now()));
    await settled();
    expect(await ofApplication(purged.application)).toEqual([]);
    clock.advance(60 * DAY_MS);
    await broker.trim();
    await settled();
    const before = await figures([first]);
    const hashes = await documents();
    const db = mongo.database(database);
    for (const name of ['groups', 'messages', 'activities']) await db.collection(name).deleteMany({});
    for (const projection of ['statistics', 'conversions'])
      for (let round = 0; round < 2; round++) {
        await service.statistics.startReplay({ projection });
        await service.close();
        service = await open();
        await settled();
      }
    expect(await figures([first])).toEqual(before);
    expect(await documents()).toEqual(hashes);
    const groups = await db.collection<{ _id: string }>('groups_2').find().toArray();
    expect(
      groups.map(({ _id }) => _id).filter((id) => id.startsWith(HIDDEN) || id.includes(purged.application)),
    ).toEqual([]);
    expect(await db.collection('activities_4').findOne({ _id: new RegExp(`^${purged.application}`) })).toBeNull();
  });

  it('has no reports from after the retention of their message, and neither has the live projection', async () => {
    await start();
    const sentAt = earlier();
    const [shown] = MESSAGES as [string];
    const histories = [historyOf(shown, sentAt), historyOf(HIDDEN, sentAt, true)];
    await publish(histories.flat());
    await settled();
    clock.advance(8 * DAY_MS);
    const groupsIn = (all: ReadonlyMap<string, string>) => [...all.keys()].filter((id) => id.startsWith('groups '));
    const [before, hashes] = [await figures(), await documents()];
    expect(groupsIn(hashes).filter((id) => id.includes(HIDDEN))).toEqual([]);
    const late = historyOf(HIDDEN, now(), true).filter(([topic]) => topic === topicNames.reports);
    const deliveredLate = historyOf(shown, now()).filter(([topic]) => topic === topicNames.reports);
    expect([late.length, deliveredLate.length]).toEqual([APPLICATIONS.length, APPLICATIONS.length]);
    await publish([...late, ...deliveredLate]);
    await settled();
    const [after, changed] = [await figures(), await documents()];
    expect(groupsIn(changed)).toEqual(groupsIn(hashes));
    await replayed('statistics');
    expect([await figures(), await documents()]).toEqual([after, changed]);
    expect(after).not.toEqual(before);
  });

  it('can be canceled while it is running, and does not change the live projection, also if its process is killed', async () => {
    await start();
    const { startReplay, cancelReplay, lastReplay } = service.statistics;
    await expect(cancelReplay({ id: 1 })).rejects.toMatchObject({ kind: 'notFound' });
    await publish(historyOf(MESSAGES[0]!, earlier()));
    await settled();
    const [before, hashes] = [await figures(), await documents()];
    const { id } = await startReplay({ projection: 'statistics' });
    expect((await cancelReplay({ id })).finished).toBeDefined();
    expect(await cancelReplay({ id })).toMatchObject({ id, canceled: true });
    const killed = await startReplay({ projection: 'conversions' });
    await Promise.all([cancelReplay({ id: killed.id }), service.close()]);
    service = await open();
    await settled();
    expect((await service.statistics.lastReplay({})).replay).toMatchObject({ id: killed.id, canceled: true });
    expect([await figures(), await documents()]).toEqual([before, hashes]);
    const done = await replayed('statistics');
    for (const each of [id, done.id])
      await expect(service.statistics.cancelReplay({ id: each })).rejects.toMatchObject({ kind: 'conflict' });
    expect((await lastReplay({})).replay).toMatchObject({ id: done.id, canceled: false });
    expect([await figures(), await documents()]).toEqual([before, hashes]);
    const last = await service.statistics.startReplay({ projection: 'statistics' });
    await service.statistics.cancelReplay({ id: last.id });
    clock.advance(70_000);
    await expectRemaining(['activities', 'groups_3', 'messages_3']);
  });

  it('keeps the figures that are older than the topics, and reports so', async () => {
    await start(allTopics([]).map((topic) => ({ ...topic, retentionMs: Math.min(topic.retentionMs, 10 * DAY_MS) })));
    // The reports come before the events of their message.
    const isOfMessages = ([topic]: Published): boolean => topic.startsWith('tidings.message');
    const history = Map.groupBy(historyOf(MESSAGES[0]!, now()), isOfMessages);
    for (const part of [false, true]) {
      await publish(history.get(part)!);
      await settled();
    }
    clock.advance(11 * DAY_MS);
    // Released after the first records that are still there.
    await publish(historyOf(MESSAGES[1]!, new Date(clock.now() + 60_000)));
    await broker.trim();
    await settled();
    // The window of a funnel ends now, and its events have happened by then.
    clock.advance(120_000);
    const before = await figures();
    const hashes = await documents();
    const [statistics, conversions] = [await replayed('statistics'), await replayed('conversions')];
    expect(await figures()).toEqual(before);
    expect(await documents()).toEqual(hashes);
    expect(statistics.kept).toMatchObject({ messages: 1, blocks: 0 });
    expect(conversions.kept).toMatchObject({ messages: 0 });
    expect(conversions.kept!.blocks).toBeGreaterThan(0);
    expect(now().getTime() - statistics.kept!.before!.getTime()).toBeLessThan(DAY_MS);
  });
});
