import { afterEach, expect, it } from '@jest/globals';
import { currentTrace, inSpan } from '@tidings/telemetry';
import { describeWithMongo, LONG_TIMEOUT, type RecordedTraces, recordTraces, until } from '@tidings/testing';
import type { Db } from 'mongodb';
import { Registry } from 'prom-client';
import { logMetrics } from '../log-metrics.ts';
import { openLogs } from '../mongo/open-logs.ts';
import { type ThingEvent, things } from '../things.features.ts';
import { openRelay, type Relay } from './open-relay.ts';
import type { Publisher, RelayedRecord } from './outbox.ts';

describeWithMongo('traces and metrics of event logs', (mongo) => {
  let databases = 0;
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  const newDb = (): Db => mongo.database(`observed${++databases}`);
  const newTraces = async (): Promise<RecordedTraces> => {
    const traces = await recordTraces();
    closers.push(() => traces.stop());
    return traces;
  };

  async function relayOn(db: Db) {
    const published: (Omit<RelayedRecord, 'topic'> & { readonly during: string | undefined })[] = [];
    const broker: Publisher = {
      publish: async (_, records) =>
        void published.push(...records.map((record) => ({ ...record, during: currentTrace()?.traceId }))),
    };
    const relay = await openRelay<ThingEvent>({
      db,
      broker,
      category: things.category,
      decode: things.decode,
      isKnown: things.isKnown,
      publish: ({ log, position }) => [{ topic: 'things', key: log, value: Buffer.from(`${position}`) }],
    });
    closers.push(() => relay.close());
    return { relay, published };
  }

  function writerOn(db: Db, relay?: Relay<ThingEvent>) {
    const writer = openLogs(db, things, { ...LONG_TIMEOUT, ...(relay && { committed: relay.enqueue }) });
    closers.push(() => writer.close());
    return {
      writer,
      name: (id: string) =>
        inSpan(`name ${id}`, { of: [] }, async () => {
          await writer.submit('things-1', { kind: 'name', id, name: 'new' });
          return currentTrace()?.traceId;
        }),
    };
  }

  it('continue the traces of commands in their commit and its records', async () => {
    const [traces, db] = [await newTraces(), newDb()];
    const { relay, published } = await relayOn(db);
    const { name } = writerOn(db, relay);
    const own = await Promise.all(Array.from({ length: 10 }, (_, i) => name(`${i}`)));
    await until(() => relay.caughtUp());
    const commits = traces.spans().filter((span) => span.name === 'commit things');
    const followed = commits.flatMap((span) => [
      span.spanContext().traceId,
      ...span.links.map(({ context }) => context.traceId),
    ]);
    expect(new Set(followed)).toEqual(new Set(own));
    expect(commits.reduce((sum, { attributes }) => sum + Number(attributes['tidings.events']), 0)).toBe(10);
    expect(published.map(({ headers }) => headers)).toEqual(
      commits.map((span) => ({ traceparent: `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01` })),
    );
    // The publishing belongs to no command's trace.
    expect(published.map(({ during }) => during)).toEqual(commits.map(() => undefined));
  });

  it('continue in commits that another process publishes, or a later start', async () => {
    const [traces, db] = [await newTraces(), newDb()];
    const { name } = writerOn(db);
    const own = await name('a');
    const { relay, published } = await relayOn(db);
    await until(() => relay.caughtUp());
    const [commit] = traces.spans().filter((span) => span.name === 'commit things');
    expect(commit!.spanContext().traceId).toBe(own);
    expect(published.map(({ headers }) => headers)).toEqual([
      { traceparent: `00-${own}-${commit!.spanContext().spanId}-01` },
    ]);
  });

  it('are carried neither by records nor by commits without recording', async () => {
    const db = newDb();
    const { relay, published } = await relayOn(db);
    await writerOn(db, relay).name('a');
    await until(() => relay.caughtUp());
    expect(published.map(({ headers }) => headers)).toEqual([undefined]);
    const [commit] = await db.collection('things.commits').find().toArray();
    expect(Object.keys(commit!).sort()).toEqual(['_id', 'at', 'events', 'uid']);
  });

  it('include the counts of writer and relay, and the waiting commits', async () => {
    const [db, registry] = [newDb(), new Registry()];
    const release = Promise.withResolvers<void>();
    const relay = await openRelay<ThingEvent>({
      db,
      category: things.category,
      decode: things.decode,
      isKnown: things.isKnown,
      broker: { publish: () => release.promise },
      publish: ({ log }) => [{ topic: 'things', key: log, value: Buffer.alloc(1) }],
    });
    closers.push(() => relay.close());
    const { writer, name } = writerOn(db, relay);
    logMetrics(registry, { category: things.category, writer, relay });
    const value = async (metric: string): Promise<number> => {
      const { values } = await registry.getSingleMetric(metric)!.get();
      expect(values.map(({ labels }) => labels)).toEqual([{ category: 'things' }]);
      return values[0]!.value;
    };
    for (const id of ['a', 'b', 'c']) await name(id);
    expect(await value('tidings_log_commands_total')).toBe(3);
    expect(await value('tidings_log_commits_total')).toBe(3);
    expect(await value('tidings_log_events_total')).toBe(3);
    expect(await value('tidings_log_conflicts_total')).toBe(0);
    expect(await value('tidings_log_behind_logs')).toBe(0);
    expect(await value('tidings_relay_unpublished_commits')).toBe(3);
    expect(await value('tidings_relay_commits_total')).toBe(0);
    release.resolve();
    await until(() => relay.caughtUp());
    expect(await value('tidings_relay_unpublished_commits')).toBe(0);
    expect(await value('tidings_relay_commits_total')).toBe(3);
  });
});
