import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { currentTrace, inSpan } from '@tidings/telemetry';
import { describeWithMongo, measured, recordTraces, testBroker } from '@tidings/testing';
import { Registry } from 'prom-client';
import { consume } from './consume.ts';
import { microBatcher } from './micro-batcher.ts';
import { incidentsTo, observed } from './observed.ts';
import { type Broker, DEAD_LETTER_TOPIC, type TopicSpec } from './broker-port.ts';

const TOPIC = 'facts';
const topics: readonly TopicSpec[] = [TOPIC, DEAD_LETTER_TOPIC].map((name) => ({
  name,
  kind: 'facts',
  partitions: 1,
  retentionMs: 3_600_000,
}));
const text = { decode: (bytes: Uint8Array): string => Buffer.from(bytes).toString() };
const record = (value: string) => ({ key: 'a', value: Buffer.from(value) });

describeWithMongo('an observed broker', (mongo) => {
  let databases = 0;
  let metrics: Registry;
  let broker: Broker;
  const closers: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    metrics = new Registry();
    const inner = await testBroker({ db: mongo.database(`observed${++databases}`), topics });
    broker = observed(inner, metrics);
    closers.push(() => broker.close());
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function consumed(count: number, handle: (value: string) => void = () => undefined): Promise<void> {
    const done = Promise.withResolvers<void>();
    let handled = 0;
    const subscription = await consume(broker, {
      group: 'readers',
      topics: { [TOPIC]: text },
      async handler(records) {
        for (const { value } of records) handle(value);
        handled += records.length;
        if (handled >= count) done.resolve();
      },
      report: incidentsTo({ warn: () => undefined }, metrics),
    });
    await done.promise;
    await subscription.stop();
  }

  it('counts published and handled records by topic and group', async () => {
    await broker.publish(TOPIC, [record('1'), record('2')]);
    await broker.publish(TOPIC, [record('3')]);
    await consumed(3);
    expect(await measured(metrics, 'tidings_topic_published_records_total')).toEqual({ [TOPIC]: 3 });
    expect(await measured(metrics, 'tidings_consumer_records_total')).toEqual({ [`readers ${TOPIC}`]: 3 });
    const seconds = 'tidings_consumer_batch_seconds';
    expect(Object.keys(await measured(metrics, seconds, `${seconds}_count`))).toEqual([`readers ${TOPIC}`]);
  });

  it('reports the lag of its groups', async () => {
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const subscription = await broker.subscribe({
      group: 'slow',
      topics: [TOPIC],
      async handler() {
        started.resolve();
        await release.promise;
      },
    });
    await broker.publish(TOPIC, [record('1'), record('2'), record('3')]);
    await started.promise;
    expect(await measured(metrics, 'tidings_consumer_lag_records')).toEqual({ [`slow ${TOPIC}`]: 3 });
    release.resolve();
    await subscription.stop();
  });

  it('counts retried and dead-lettered records', async () => {
    await broker.publish(TOPIC, [record('fine'), record('poison'), record('fine, too')]);
    await consumed(2, (value) => {
      if (value === 'poison') throw new Error('poison');
    });
    expect(await measured(metrics, 'tidings_consumer_incidents_total')).toEqual({
      [`readers ${TOPIC} retried`]: 4,
      [`readers ${TOPIC} dead-lettered`]: 1,
      [`readers ${TOPIC} returned`]: 0,
      [`readers ${TOPIC} unknown`]: 0,
    });
    expect(await measured(metrics, 'tidings_topic_published_records_total')).toMatchObject({ [DEAD_LETTER_TOPIC]: 1 });
  });

  it('carries the trace of published records to their handler, in one span for all', async () => {
    const traces = await recordTraces();
    closers.push(() => traces.stop());
    const publish = (value: string) =>
      inSpan(`publish ${value}`, { of: [] }, async () => {
        await broker.publish(TOPIC, [record(value)]);
        return currentTrace()!.traceId;
      });
    const [first, second] = [await publish('1'), await publish('2')];
    const during: (string | undefined)[] = [];
    await consumed(2, () => during.push(currentTrace()?.traceId));
    const handled = traces.spans().filter(({ name }) => name === `process ${TOPIC}`);
    expect(handled).toHaveLength(1);
    expect(handled[0]!.spanContext().traceId).toBe(first);
    expect(handled[0]!.links.map(({ context }) => context.traceId)).toEqual([second]);
    expect(handled[0]!.attributes).toMatchObject({
      'messaging.destination.name': TOPIC,
      'messaging.consumer.group.name': 'readers',
      'messaging.batch.message_count': 2,
    });
    expect(during).toEqual([first, first]);
  });

  it('separates the traces of records that are published together', async () => {
    const traces = await recordTraces();
    closers.push(() => traces.stop());
    const batcher = microBatcher(broker, TOPIC);
    const own = await Promise.all(
      ['1', '2', '3'].map((value) =>
        inSpan(`publish ${value}`, { of: [] }, async () => {
          await batcher.publish(record(value));
          return currentTrace()!.traceId;
        }),
      ),
    );
    await consumed(3);
    const [handled] = traces.spans().filter(({ name }) => name === `process ${TOPIC}`);
    const followed = [handled!.spanContext().traceId, ...handled!.links.map(({ context }) => context.traceId)];
    expect(followed).toEqual(own);
  });

  it('starts handlers outside the trace of the code that resumed them', async () => {
    const traces = await recordTraces();
    closers.push(() => traces.stop());
    const during = Promise.withResolvers<unknown>();
    const subscription = await broker.subscribe({
      group: 'plain',
      topics: [TOPIC],
      handler: async () => during.resolve(currentTrace()),
    });
    await inSpan('publish', { of: [] }, () => broker.publish(TOPIC, [record('1')]));
    expect(await during.promise).toBeUndefined();
    await subscription.stop();
  });
});
