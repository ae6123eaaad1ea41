import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import {
  cluster,
  type ClusterWorld,
  type CollectedSpan,
  type Collector,
  describeWithKafka,
  followersOf,
  operationsText,
  platform,
  type PlatformWorld,
  type RecordedTraces,
  recordTraces,
  startCollector,
} from '@tidings/testing';

const DEVICES = 1_000;
/** So many named recipients are planned by a task. */
const NAMED = 101;

function followers(of: ReadableSpan, all: readonly ReadableSpan[]): ReadableSpan[] {
  const known = (span: ReadableSpan) => ({
    span,
    spanId: span.spanContext().spanId,
    causes: [span.parentSpanContext, ...span.links.map(({ context }) => context)].flatMap(
      (cause) => cause?.spanId ?? [],
    ),
  });
  return followersOf(known(of), all.map(known)).map(({ span }) => span);
}

const namesOf = (spans: readonly ReadableSpan[]): string[] => [...new Set(spans.map(({ name }) => name))];

describe('traces of the platform', () => {
  let world: PlatformWorld;
  let traces: RecordedTraces;
  let application: string;

  beforeAll(async () => {
    traces = await recordTraces();
    world = await platform();
    application = await world.application();
    await world.call('addTag', { tag: { name: 'Population', type: 1 } });
    await world.registerDevices(application, DEVICES, (i) => ({
      hwid: `device-${i}`,
      device_type: i % 2 === 0 ? 1 : 3,
      push_token: i % 2 === 0 ? i.toString(16).padStart(64, '0') : `token-${i}`,
      tags: { Population: i < 10 ? 1 : 0 },
    }));
    await world.settle();
  });
  afterAll(async () => {
    await world?.stop();
    await traces?.stop();
  });

  async function spansOf(notification: object): Promise<ReadableSpan[]> {
    const before = traces.spans().length;
    await world.call('createMessage', { application, notifications: [{ content: 'Hello', ...notification }] });
    await world.settle();
    const since = traces.spans().slice(before);
    return followers(
      since.find(({ name }) => name === 'createMessage')!,
      since,
    );
  }

  it('connect the request with the dispatch, and with its outcomes', async () => {
    const spans = await spansOf({ devices: ['device-0', 'device-1'] });
    expect(namesOf(spans)).toEqual(
      expect.arrayContaining([
        'createMessage',
        'commit messages',
        'process tidings.messages',
        'release message',
        'commit plans',
        'process tidings.batches.apns.direct',
        'dispatch apns',
        'process tidings.batches.fcm.direct',
        'dispatch fcm',
        'process tidings.outcomes',
        'process tidings.plans',
      ]),
    );
    const dispatched = spans.filter(({ name }) => name.startsWith('dispatch '));
    expect(dispatched.map(({ attributes }) => attributes['tidings.outcome.SENT'])).toEqual([1, 1]);
    const [request] = spans;
    expect(dispatched.every((span) => span.spanContext().traceId === request!.spanContext().traceId)).toBe(true);
  });

  it('have as many spans for a thousand devices as for ten', async () => {
    const ten = await spansOf({ conditions: [['Population', 'EQ', 1]] });
    const thousand = await spansOf({});
    const sent = (spans: readonly ReadableSpan[]): number =>
      spans.reduce((sum, { attributes }) => sum + Number(attributes['tidings.outcome.SENT'] ?? 0), 0);
    expect([sent(ten), sent(thousand)]).toEqual([10, DEVICES]);
    // Two slices of a platform share one batch; only the number of polls that find work differs.
    expect(thousand.length).toBeLessThanOrEqual(3 * ten.length);
  });

  it('contain no personal data: names and attributes are few, and contain no text of callers', async () => {
    const spans = traces.spans();
    expect(namesOf(spans).length).toBeLessThan(60);
    const texts = spans.flatMap(({ name, attributes }) => [name, ...Object.entries(attributes).flat().map(String)]);
    const logged = [...new Set(texts)].join('\n');
    expect(logged).not.toContain(application);
    expect(logged).not.toMatch(/device-\d|token-\d|Hello|[0-9A-F]{4}-[0-9A-F]{8}-[0-9A-F]{8}/);
  });
});

describe('a collector', () => {
  let collector: Collector;
  beforeAll(async () => {
    collector = await startCollector();
    // The exporter reads the process's environment.
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.endpoint;
  });
  afterAll(async () => {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    await collector?.close();
  });

  async function exportedBy(env: Readonly<Record<string, string>>): Promise<readonly CollectedSpan[]> {
    const before = collector.spans().length;
    const world = await platform({ env });
    const application = await world.application();
    await world.registerDevices(application, 1, () => ({ hwid: 'a', device_type: 3, push_token: 'token-of-a' }));
    await world.call('createMessage', { application, notifications: [{ content: 'Hello', devices: ['a'] }] });
    await world.settle();
    await world.stop();
    return collector.spans().slice(before);
  }

  it('receives the traces of a platform that has its address', async () => {
    const spans = await exportedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    const request = spans.find(({ name }) => name === 'createMessage')!;
    expect(followersOf(request, spans).map(({ service, name }) => `${service}: ${name}`)).toContain(
      'tidings: dispatch fcm',
    );
  });

  it('receives nothing of any other', async () => {
    expect(await exportedBy({})).toEqual([]);
    expect(await exportedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_SDK_DISABLED: 'true' })).toEqual(
      [],
    );
  });
});

describeWithKafka('processes of the distributed mode', () => {
  let collector: Collector;
  let world: ClusterWorld;
  beforeAll(async () => {
    collector = await startCollector();
    world = await cluster({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }, replicas: 1 });
    const application = await world.application();
    const devices = Array.from({ length: NAMED }, (_, i) => `device-${i}`);
    await world.registerDevices(application, devices.length, (i) => ({
      hwid: devices[i]!,
      device_type: i === 0 ? 1 : 3,
      push_token: i === 0 ? 'a'.repeat(64) : `token-${i}`,
    }));
    await world.call('createMessage', { application, notifications: [{ content: 'Hello' }] });
    await world.call('createMessage', { application, notifications: [{ content: 'Hello', devices }] });
    await world.settle();
  }, 300_000);
  afterAll(async () => {
    await world?.stop();
    await collector?.close();
  });

  it('have the metric names of one process, and metrics of their calls besides', async () => {
    const page = operationsText();
    for (const { name: member, url } of world.cluster.members) {
      const scrape = await (await fetch(`${url}/metrics`)).text();
      const names = [...scrape.matchAll(/^# TYPE (tidings_\w+) /gm)].map(([, name]) => name!);
      expect([member, names.filter((name) => !page.includes(`\`${name}\``))]).toEqual([member, []]);
      expect([member, names]).toEqual([member, expect.arrayContaining(['tidings_rpc_server_call_seconds'])]);
    }
    const scrapeOf = async (service: string): Promise<string> => {
      const scrapes = world.cluster.of(service).map(async ({ url }) => (await fetch(`${url}/metrics`)).text());
      return (await Promise.all(scrapes)).join('\n');
    };
    expect(await scrapeOf('scheduler')).toContain(
      'tidings_consumer_lag_records{group="scheduler",topic="tidings.plans"} 0',
    );
    expect(await scrapeOf('gateway')).toContain(
      'tidings_rpc_client_call_seconds_count{service="tidings.rpc.v1.Messages",method="Accept",code="OK"} 2',
    );
  });

  it('extend a trace from the request by gRPC and Kafka to the dispatch, and to its outcomes', async () => {
    // A graceful shutdown exports the remaining spans; the end of the suite only kills.
    await Promise.all(world.cluster.members.map((member) => member.stop()));
    const requests = collector.spans().filter(({ name }) => name === 'createMessage');
    const followers = requests.flatMap((request) => followersOf(request, collector.spans()));
    const found = [...new Set(followers.map(({ service, name }) => `${service}: ${name}`))];
    expect(found).toEqual(
      expect.arrayContaining([
        'tidings-gateway: createMessage',
        'tidings-gateway: tidings.rpc.v1.Messages/Accept',
        'tidings-scheduler: tidings.rpc.v1.Messages/Accept',
        'tidings-scheduler: commit messages',
        'tidings-fanout: process tidings.messages',
        'tidings-fanout: release message',
        'tidings-fanout: process tidings.fanout.direct',
        'tidings-fanout: plan chunk',
        'tidings-fanout: commit plans',
        'tidings-dispatcher: process tidings.batches.apns',
        'tidings-dispatcher: dispatch apns',
        'tidings-dispatcher: dispatch fcm',
        'tidings-statistics: process tidings.outcomes',
        'tidings-webhooks: process tidings.outcomes',
        'tidings-scheduler: process tidings.plans',
      ]),
    );
    const dispatched = followers.filter(({ name }) => name.startsWith('dispatch '));
    expect(new Set(dispatched.map(({ traceId }) => traceId))).toEqual(new Set(requests.map(({ traceId }) => traceId)));
    expect(requests).toHaveLength(2);
  });
});
