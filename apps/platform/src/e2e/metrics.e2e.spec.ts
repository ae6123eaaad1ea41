import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { topics } from '@tidings/events';
import { channels } from '@tidings/kernel';
import { openReplicas, RpcServer } from '@tidings/rpc/grpc';
import { services } from '@tidings/runtime';
import {
  allQueries,
  documentedMetrics,
  documentedRows,
  operationsText,
  platform,
  type PlatformWorld,
  readQuery,
} from '@tidings/testing';
import { Registry } from 'prom-client';

const pages = operationsText();
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function read(scrape: string): { types: Map<string, string>; samples: Sample[] } {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of scrape.split('\n')) {
    const type = /^# TYPE (tidings_\w+) (\w+)$/.exec(line);
    if (type) types.set(type[1]!, type[2]!);
    const sample = /^(tidings_\w+?)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!sample) continue;
    const pairs = (sample[2] ?? '').matchAll(/(\w+)="(.*?)"/g);
    const labels = Object.fromEntries([...pairs].map(([, label, text]) => [label!, text!]));
    samples.push({ name: sample[1]!, labels, value: Number(sample[3]) });
  }
  return { types, samples };
}

describe('the metrics of the platform', () => {
  let world: PlatformWorld;
  let application: string;
  let scraped: ReturnType<typeof read>;
  let scrape: string;

  beforeAll(async () => {
    // A database that is missing is measured, too.
    world = await platform({ env: { GEOIP_DATABASE: '/nonexistent/places.mmdb' } });
    application = await world.application();
    await world.registerDevices(application, 2, (i) => ({
      hwid: `device-${i}`,
      device_type: i === 0 ? 1 : 3,
      push_token: i === 0 ? 'a'.repeat(64) : 'token-1',
    }));
    await world.call('createMessage', { application, notifications: [{ content: 'Hello' }] });
    await world.settle();
    ({ body: scrape } = (await world.client.http.send('/metrics')) as { body: string });
    scraped = read(scrape);
  });
  afterAll(() => world?.stop());

  const value = (name: string, labels: Readonly<Record<string, string>> = {}): number =>
    scraped.samples
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([label, text]) => sample.labels[label] === text))
      .reduce((sum, sample) => sum + sample.value, 0);

  it('are exactly those that docs/operations describes', () => {
    const documented = documentedMetrics('| metric | type');
    expect([...documented].map(([name, { type }]) => `${name} ${type}`).sort()).toEqual(
      [...scraped.types].map(([name, type]) => `${name} ${type}`).sort(),
    );
  });

  it('have the labels that docs/operations describes', () => {
    const documented = documentedMetrics('| metric | type');
    for (const { name, labels } of scraped.samples) {
      const { labels: allowed } = documented.get(name) ?? documented.get(name.replace(/_(bucket|sum|count)$/, ''))!;
      expect([name, Object.keys(labels).filter((label) => label !== 'le')]).toEqual([name, allowed]);
    }
  });

  it('are few, and contain no text of callers', () => {
    expect(scraped.samples.length).toBeLessThan(2_000);
    const texts = [...new Set(scraped.samples.flatMap(({ labels }) => Object.values(labels)))].join('\n');
    expect(texts).not.toContain(application);
    expect(texts).not.toMatch(/device-\d|token-\d|Hello|[0-9A-F]{4}-[0-9A-F]{8}-[0-9A-F]{8}/);
  });

  it('are those that alerts and dashboards query, with the labels of the queries', () => {
    const queries = allQueries().map(readQuery);
    const betweenProcesses = [...documentedMetrics('| metric (distributed mode) | type').keys()];
    const scrapedLine = (series: string): RegExp =>
      new RegExp(`^(${series}(\\{| )|# TYPE ${series} (counter|gauge)$)`, 'm');
    const seriesNames = [...new Set(queries.flatMap(({ series }) => series))].filter(
      (series) => !betweenProcesses.some((metric) => series.startsWith(metric)),
    );
    expect(seriesNames.filter((series) => !scrapedLine(series).test(scrape))).toEqual([]);
    const unlabelled = queries
      .flatMap(({ matched }) => matched)
      .filter(({ series, label }) => scraped.samples.some(({ name, labels }) => name === series && !(label in labels)));
    expect(unlabelled).toEqual([]);
  });

  it('count from 0 if the first occurrence is an alert', () => {
    for (const [name, labels] of [
      ['tidings_consumer_incidents_total', { group: 'statistics', topic: 'tidings.outcomes', kind: 'dead-lettered' }],
      ['tidings_consumer_incidents_total', { group: 'scheduler', topic: 'tidings.plans', kind: 'unknown' }],
      ['tidings_jobs_failures_total', { reason: 'process_died' }],
      ['tidings_webhooks_events_total', { end: 'given_up' }],
      ['tidings_incoming_mail_refusals_total', { reason: 'unavailable' }],
    ] as const)
      expect(scraped.samples).toContainEqual({ name, labels, value: 0 });
    expect(value('tidings_ids_blocked')).toBe(0);
  });

  it('include the outcomes of a message', () => {
    expect(value('tidings_http_request_seconds_count', { method: 'createMessage', result: 'ok' })).toBe(1);
    expect(value('tidings_http_request_seconds_count', { method: 'registerDevice', result: 'ok' })).toBe(2);
    expect(value('tidings_dispatch_outcomes_total', { channel: 'apns', category: 'SENT' })).toBe(1);
    expect(value('tidings_dispatch_outcomes_total', { channel: 'fcm', category: 'SENT' })).toBe(1);
    expect(value('tidings_dispatch_provider_seconds_count')).toBe(2);
    expect(value('tidings_fanout_slices_total', { emission: 'first' })).toBe(2);
    expect(value('tidings_fanout_slices_total', { emission: 'again' })).toBe(0);
    // Accepted and released in one commit, completed in another.
    expect(value('tidings_log_events_total', { category: 'messages' })).toBe(3);
    // The first two also on `tidings.message-times`.
    expect(value('tidings_relay_records_total', { category: 'messages' })).toBe(5);
    expect(value('tidings_topic_published_records_total', { topic: 'tidings.messages' })).toBe(3);
    // Two slices; one without an open connection is deferred first, which is an outcome, too.
    const outcomes = value('tidings_topic_published_records_total', { topic: 'tidings.outcomes' });
    expect(outcomes).toBeGreaterThanOrEqual(2);
    expect(value('tidings_consumer_records_total', { group: 'statistics', topic: 'tidings.outcomes' })).toBe(outcomes);
  });

  it('report that no work is left', () => {
    const groups = new Set(
      scraped.samples.flatMap(({ name, labels }) => (name === 'tidings_consumer_lag_records' ? [labels['group']] : [])),
    );
    expect(groups.size).toBeGreaterThanOrEqual(10);
    expect(value('tidings_ready')).toBe(1);
    expect(value('tidings_consumer_lag_records')).toBe(0);
    expect(value('tidings_scheduler_oldest_unfinished_seconds')).toBe(0);
    expect(value('tidings_relay_unpublished_commits')).toBe(0);
    expect(value('tidings_dispatch_open_slices')).toBe(0);
    expect(value('tidings_dispatch_deferred_slices')).toBe(0);
    expect(value('tidings_consumer_incidents_total', { kind: 'dead-lettered' })).toBe(0);
  });

  it('cover every topic but those without a consumer, which docs/operations names', () => {
    const consumed = new Set(
      scraped.samples.flatMap(({ name, labels }) => (name === 'tidings_consumer_lag_records' ? [labels['topic']] : [])),
    );
    const [named] = /(`tidings\.[\w.-]+`(,| and)?\s)+have no consumer yet/.exec(pages)!;
    expect(topics(channels).flatMap(({ name }) => (consumed.has(name) ? [] : [name]))).toEqual(
      named.match(/tidings\.[\w.-]+/g),
    );
  });

  it('include those of the process', () => {
    for (const own of [
      'nodejs_eventloop_lag_p50_seconds',
      'nodejs_eventloop_lag_p99_seconds',
      'process_cpu_seconds_total',
    ])
      expect(scrape).toContain(`# TYPE ${own} `);
  });
});

describe('docs/operations', () => {
  it('describes exactly the metrics of calls between processes', async () => {
    const metrics = new Registry();
    const access = { masterKeys: [Buffer.alloc(32)] };
    new RpcServer({ host: '127.0.0.1', port: 0, services: [], access, metrics });
    const replicas = await openReplicas('127.0.0.1:1', { access, metrics });
    replicas.close();
    const documented = documentedMetrics('| metric (distributed mode) | type');
    const { types } = read(await metrics.metrics());
    expect([...documented].map(([name, { type }]) => `${name} ${type}`).sort()).toEqual(
      [...types].map(([name, type]) => `${name} ${type}`).sort(),
    );
  });

  it('names no other metric', () => {
    const databases = Object.values(services).flatMap((service) => ('database' in service ? [service.database] : []));
    const known = new Set([
      ...['system', 'log', ...databases].map((database) => `tidings_${database}`),
      ...documentedMetrics('| metric | type').keys(),
      ...documentedMetrics('| metric (distributed mode) | type').keys(),
    ]);
    const named = pages.match(/`?tidings_[a-z]\w+/g)!.map((name) => name.replace('`', ''));
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('describes every topic, its partitions and its retention', () => {
    const days = (ms: number): string => (ms === 86_400_000 ? '1 day' : `${ms / 86_400_000} days`);
    expect(documentedRows('| topic | kind').map((row) => row.slice(1, 5))).toEqual(
      topics(channels).map(({ name, kind, partitions, retentionMs }) => [
        name,
        kind,
        String(partitions),
        days(retentionMs),
      ]),
    );
  });
});
