import {
  hourOf,
  mailReportRecord,
  type MailReport,
  messageChunkKey,
  noMailColumns,
  windowEndOf,
} from '@tidings/delivery';
import {
  Conversion,
  MailOpen,
  MessageEvent,
  PlanEvent,
  ReportKind,
  Reports,
  topicNames,
  SliceOutcome,
} from '@tidings/events';
import { Bitmap, ShiftedClock } from '@tidings/kernel';
import { openMetrics, keysFrom } from '@tidings/runtime';
import { invalidDocuments } from '@tidings/mongo';
import type { EmbeddedBroker } from '@tidings/streaming';
import { describeWithMongo, drawn, testBroker, until } from '@tidings/testing';
import { pino } from 'pino';
import { collections } from './collections.ts';
import { openStatistics, type StatisticsService } from './statistics.ts';

const MESSAGE = 'A0B1-00000001-00000002';
const APPLICATION = 'AAAAA-BBBBB';
const CHUNK = 3;
const AT = new Date();
const HOUR = hourOf(AT);
const key = { message: MESSAGE, application: APPLICATION };
const set = (...positions: number[]): Buffer => Buffer.from(Bitmap.of(positions).encode());

function randomOrder(): <T>(list: readonly T[]) => T[] {
  const { draw } = drawn('the order of facts');
  return (list) =>
    list
      .map((each) => ({ each, key: draw() }))
      .sort((a, b) => a.key - b.key)
      .map(({ each }) => each);
}

/** Six devices: one excluded, one without a token, one dead, three sent, one of these with notifications off. */
const facts: readonly { readonly topic: string; readonly value: Uint8Array }[] = [
  {
    topic: topicNames.messages,
    value: MessageEvent.encode(
      MessageEvent.fromPartial({ code: MESSAGE, at: AT, event: { $case: 'released', value: {} } }),
    ).finish(),
  },
  {
    topic: topicNames.plans,
    value: PlanEvent.encode(
      PlanEvent.fromPartial({
        ...key,
        event: {
          $case: 'chunk',
          value: {
            chunk: CHUNK,
            eligible: [{ platform: 1, set: set(1, 2, 3, 4, 9) }],
            excluded: [{ reason: 'CONTROL_GROUP', platform: 1, set: set(5) }],
            failed: [{ category: 'NO_TOKEN', code: '0', name: 'no_token', platform: 1, hour: HOUR, set: set(4) }],
          },
        },
      }),
    ).finish(),
  },
  {
    topic: topicNames.outcomes,
    value: SliceOutcome.encode(
      SliceOutcome.fromPartial({
        ...key,
        chunk: CHUNK,
        outcome: {
          $case: 'settled',
          value: {
            sent: [{ platform: 1, hour: HOUR, set: set(1, 2, 3), notDisplayable: set(3) }],
            failed: [
              { category: 'INVALID_TOKEN', code: '410', name: 'Unregistered', platform: 1, hour: HOUR, set: set(9) },
            ],
          },
        },
      }),
    ).finish(),
  },
  ...[
    { kind: ReportKind.REPORT_KIND_DELIVERED, positions: [1, 3, 40] },
    { kind: ReportKind.REPORT_KIND_OPENED, positions: [2] },
  ].map(({ kind, positions }) => ({
    topic: topicNames.reports,
    value: Reports.encode({
      ...key,
      messageId: 1n,
      account: 'a',
      chunk: CHUNK,
      kind,
      positions,
      platforms: positions.map(() => 1),
      at: positions.map(() => Math.floor(AT.getTime() / 1000)),
      entry: undefined,
      ...noMailColumns,
    }).finish(),
  })),
];

describeWithMongo('statistics', (mongo) => {
  const clock = new ShiftedClock();
  let broker: EmbeddedBroker;
  let service: StatisticsService;
  const open = (): Promise<StatisticsService> =>
    openStatistics({
      clock,
      broker,
      log: pino({ level: 'silent' }),
      metrics: openMetrics(),
      db: mongo.database('statistics'),
      keys: keysFrom(new Uint8Array(32)),
    });
  const settled = (): Promise<void> => until(async () => (await service.operations.settled({})).open.length === 0);
  beforeAll(async () => {
    broker = await testBroker({ db: mongo.database('log'), clock });
    service = await open();
  });
  afterAll(async () => {
    await service.close();
    await broker.close();
  });

  it('returns nothing for an unknown message', async () => {
    const { funnelState, channels } = await service.statistics.funnel({
      message: MESSAGE,
      platforms: [],
      trackingOff: false,
    });
    expect({ funnelState, channels }).toEqual({ funnelState: 'FUNNEL_STATE_NO_EVENTS', channels: [] });
  });

  it('counts facts once, in any order and with repeats, across a restart', async () => {
    const publish = (topic: string, value: Uint8Array): Promise<unknown> =>
      broker.publish(topic, [
        { key: messageChunkKey({ message: MESSAGE, application: APPLICATION, chunk: CHUNK }), value },
      ]);
    await Promise.all([...facts].reverse().map(({ topic, value }) => publish(topic, value)));
    await settled();
    await service.close();
    service = await open();
    await Promise.all(facts.map(({ topic, value }) => publish(topic, value)));
    await settled();

    const { messages } = await service.statistics.metrics({ messages: [MESSAGE] });
    expect(messages).toEqual([
      {
        message: MESSAGE,
        platforms: [{ platform: 1, sends: 3, opens: 1, deliveries: 3, inboxOpens: 0, unshowableSends: 1, errors: 2 }],
      },
    ]);
    const { funnelState, channels } = await service.statistics.funnel({
      message: MESSAGE,
      platforms: [],
      trackingOff: false,
    });
    const stages = channels[0]!.funnel.map(({ stage, total, pieces }) => [
      stage,
      total?.count,
      pieces.filter((piece) => piece.total!.count > 0).map(({ category, total: of }) => `${category} ${of!.count}`),
    ]);
    expect(funnelState).toBe('FUNNEL_STATE_READY');
    expect(stages).toEqual([
      ['STAGE_AUDIENCE', 6, ['ELIGIBLE_AUDIENCE 5', 'CONTROL_GROUP 1']],
      ['STAGE_SENT', 3, []],
      ['STAGE_ERRORS', 2, []],
      ['STAGE_DELIVERIES', 3, ['DISPLAYABLE_CONFIRMED 2', 'NOT_DISPLAYABLE_CONFIRMED 1']],
      ['STAGE_OPENED', 1, []],
    ]);
  });

  it('shows totals by hour, and the events of devices in the audience after an open (R-H5, R-H6)', async () => {
    const message = 'A0B1-00000005-00000006';
    const of = { message, application: APPLICATION };
    const [second, shuffled] = [Math.floor(AT.getTime() / 1000), randomOrder()];
    const planned = PlanEvent.fromPartial({
      ...of,
      event: { $case: 'chunk', value: { chunk: CHUNK, eligible: [{ platform: 1, set: set(1, 2, 3) }] } },
    });
    const opened = Reports.fromPartial({
      ...of,
      messageId: 3n,
      chunk: CHUNK,
      kind: ReportKind.REPORT_KIND_OPENED,
      positions: [1, 2, 40],
      platforms: [1, 1, 1],
      at: [second, second, second],
    });
    const done = (position: number, index: number, more: Partial<Conversion> = {}): Conversion =>
      Conversion.fromPartial({
        application: APPLICATION,
        chunk: CHUNK,
        position,
        at: new Date((second + 60) * 1000),
        name: 'Buy',
        stamp: { log: 'devices-1', position: 7n, index },
        ...more,
      });
    const conversions = [
      done(1, 0, { amount: 4.5, currency: 'EUR' }),
      done(1, 1, { name: 'Look' }),
      done(2, 2, { amount: -1, currency: 'EUR' }),
      done(40, 3),
      done(3, 4),
      done(1, 5, { at: new Date((second + 86_401) * 1000) }),
      done(1, 6, { at: new Date((second - 1) * 1000) }),
    ];
    const key = messageChunkKey({ ...of, chunk: CHUNK });
    const records: readonly (readonly [string, Uint8Array])[] = [
      [topicNames.plans, PlanEvent.encode(planned).finish()],
      [topicNames.reports, Reports.encode(opened).finish()],
      ...conversions.map((one) => [topicNames.conversions, Conversion.encode(one).finish()] as const),
    ];
    for (const [topic, value] of shuffled([...records, ...records])) await broker.publish(topic, [{ key, value }]);
    await settled();
    const { hours, ...totals } = await service.statistics.totals({ message, platforms: [] });
    expect(hours).toEqual([
      expect.objectContaining({ hour: hourOf(second * 1000), platform: 1, sends: 0, opens: 2, deliveries: 2 }),
    ]);
    expect(totals).toEqual({
      sends: 0,
      opens: 2,
      events: [
        { name: 'Buy', hits: 2, conversion: 1, revenue: 3.5 },
        { name: 'Look', hits: 1, conversion: 0.5, revenue: undefined },
      ],
    });
    expect((await service.statistics.totals({ message, platforms: [3] })).events).toEqual([]);
  });

  it('counts the outcomes of e-mails (R-E16, R-H15, R-H19)', async () => {
    const message = 'A0B1-00000007-00000008';
    const of = { message, application: APPLICATION };
    const [key, shuffled] = [messageChunkKey({ ...of, chunk: CHUNK }), randomOrder()];
    const accepted = { platform: 14, hour: HOUR, set: set(1, 2, 3, 4) };
    const refused = {
      platform: 14,
      hour: HOUR,
      category: 'BOUNCED_SOFT_SPAM',
      code: '550',
      name: '5.7.1',
      set: set(4),
    };
    const planned = PlanEvent.fromPartial({
      ...of,
      event: { $case: 'chunk', value: { chunk: CHUNK, eligible: [{ platform: 14, set: accepted.set }] } },
    });
    const value = { sent: [{ ...accepted, notDisplayable: set() }], bounced: [refused] };
    const outcome = SliceOutcome.fromPartial({ ...of, chunk: CHUNK, outcome: { $case: 'settled', value } });
    const released = MessageEvent.fromPartial({ code: message, at: AT, event: { $case: 'released', value: {} } });
    const report = (position: number, what: MailReport) =>
      mailReportRecord({ ...of, messageId: 3n, account: 'a', seq: CHUNK * 65_536 + position }, what, AT);
    const records: readonly (readonly [string, Uint8Array])[] = [
      [topicNames.messages, MessageEvent.encode(released).finish()],
      [topicNames.plans, PlanEvent.encode(planned).finish()],
      [topicNames.outcomes, SliceOutcome.encode(outcome).finish()],
      ...[
        report(1, { kind: 'opened', open: MailOpen.MAIL_OPEN_MACHINE_AMPP }),
        report(1, { kind: 'clicked', url: 'https://shop.example/' }),
        report(2, { kind: 'opened', open: MailOpen.MAIL_OPEN_UNKNOWN }),
        report(3, {
          kind: 'bounced',
          category: 'BOUNCED_HARD_GENERAL',
          code: '550',
          name: '5.1.1',
          sentAt: 0,
        }),
        report(3, { kind: 'opened', open: MailOpen.MAIL_OPEN_MACHINE }),
        report(2, { kind: 'unsubscribed', category: '' }),
        report(2, { kind: 'complained', sentAt: 0 }),
      ].map((record) => [topicNames.reports, record.value] as const),
    ];
    for (const [topic, fact] of shuffled([...records, ...records])) await broker.publish(topic, [{ key, value: fact }]);
    await settled();
    const metrics = await service.statistics.metrics({ messages: [message] });
    const bounces = { hardBounces: 1, softBounces: 1 };
    expect(metrics.messages[0]!.platforms).toEqual([
      {
        platform: 14,
        sends: 4,
        opens: 3,
        deliveries: 2,
        inboxOpens: 0,
        unshowableSends: 0,
        errors: 0,
        mail: { confirmedSends: 3, ...bounces, rejects: 0, unsubs: 1, complaints: 1 },
      },
    ]);
    const { channels } = await service.statistics.funnel({ message, platforms: [], trackingOff: false });
    const stages = channels[0]!.funnel.map(({ stage, total, pieces }) => [
      ...[stage, total!.count],
      ...pieces.filter((piece) => piece.total!.count > 0).map(({ category, total: part }) => [category, part!.count]),
    ]);
    expect(stages.slice(3)).toEqual([
      [
        ...['STAGE_DELIVERIES', 4, ['CONFIRMED_BY_DEVICE', 2], ['NO_CONFIRMATION', 2]],
        ...[
          ['BOUNCED_HARD', 1],
          ['BOUNCED_SOFT', 1],
          ['BOUNCED_HARD_GENERAL', 1],
          ['BOUNCED_SOFT_SPAM', 1],
        ],
      ],
      ['STAGE_OPENED', 3, ['OPENED_BY_RECIPIENT', 1], ['MACHINE_OPENS_ONLY', 1], ['OPEN_TYPE_UNKNOWN', 1]],
      ['STAGE_INTERACTIONS', 1],
    ]);
    const { hours } = await service.statistics.totals({ message, platforms: [] });
    expect(hours).toEqual([expect.objectContaining({ hour: HOUR, platform: 14, sends: 4, opens: 3, deliveries: 2 })]);
    expect(await invalidDocuments(mongo.database('statistics'), collections)).toEqual([]);
  });

  it('counts reports in the rows to the second of the end, with or without an earlier release (R-H17)', async () => {
    const end = windowEndOf(AT) / 1000;
    const message = 'A0B1-00000003-00000004';
    const of = { message, application: APPLICATION };
    const publish = (topic: string, value: Uint8Array): Promise<unknown> =>
      broker.publish(topic, [{ key: messageChunkKey({ ...of, chunk: CHUNK }), value }]);
    const open_ = (...rows: (readonly [position: number, at: number])[]) =>
      publish(
        topicNames.reports,
        Reports.encode({
          ...of,
          messageId: 2n,
          account: 'a',
          chunk: CHUNK,
          kind: ReportKind.REPORT_KIND_OPENED,
          positions: rows.map(([position]) => position),
          platforms: rows.map(() => 1),
          at: rows.map(([, at]) => at),
          entry: undefined,
          ...noMailColumns,
        }).finish(),
      );
    const opened = async (): Promise<number> => {
      const { channels } = await service.statistics.funnel({ message, platforms: [], trackingOff: false });
      return channels[0]!.funnel.find(({ stage }) => stage === 'STAGE_OPENED')!.total!.count;
    };
    const positions = [1, 2, 3, 4, 5, 6];
    const planned = PlanEvent.fromPartial({
      ...of,
      event: { $case: 'chunk', value: { chunk: CHUNK, eligible: [{ platform: 1, set: set(...positions) }] } },
    });
    const sent = [{ platform: 1, hour: HOUR, set: set(...positions), notDisplayable: set() }];
    const outcome = { $case: 'settled', value: { sent } } as const;
    await publish(topicNames.plans, PlanEvent.encode(planned).finish());
    await publish(
      topicNames.outcomes,
      SliceOutcome.encode(SliceOutcome.fromPartial({ ...of, chunk: CHUNK, outcome })).finish(),
    );
    await open_([1, end - 7200], [2, end], [3, end + 1]);
    await settled();
    const released = MessageEvent.fromPartial({ code: message, at: AT, event: { $case: 'released', value: {} } });
    await publish(topicNames.messages, MessageEvent.encode(released).finish());
    await settled();
    clock.advance(31 * 86_400_000);
    expect(await opened()).toBe(2);
    await open_([4, end], [5, end + 1], [3, end + 2]);
    await settled();
    expect(await opened()).toBe(3);
  });
});
