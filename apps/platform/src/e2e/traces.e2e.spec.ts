import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { platform, type PlatformWorld, type RecordedTraces, recordTraces } from '@tidings/testing';

const DEVICES = 1_000;

/** All spans that are connected with one, by being its child or by a link, whatever their traces are. */
function followers(of: ReadableSpan, all: readonly ReadableSpan[]): ReadableSpan[] {
  const found = [of];
  const known = new Set([of.spanContext().spanId]);
  for (let grown = true; grown;) {
    grown = false;
    for (const span of all) {
      const causes = [span.parentSpanContext, ...span.links.map(({ context }) => context)];
      if (known.has(span.spanContext().spanId) || !causes.some((cause) => cause && known.has(cause.spanId))) continue;
      known.add(span.spanContext().spanId);
      found.push(span);
      grown = true;
    }
  }
  return found;
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
    await world.call('addTag', { tag: { name: 'Crowd', type: 1 } });
    await world.registerDevices(application, DEVICES, (i) => ({
      hwid: `device-${i}`,
      device_type: i % 2 === 0 ? 1 : 3,
      push_token: i % 2 === 0 ? i.toString(16).padStart(64, '0') : `token-${i}`,
      tags: { Crowd: i < 10 ? 1 : 0 },
    }));
    await world.settle();
  });
  afterAll(async () => {
    await world?.stop();
    await traces?.stop();
  });

  /** The spans that follow from a message, its request first. */
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

  it('connect the request with the dispatch, and with what became of it', async () => {
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
    const ten = await spansOf({ conditions: [['Crowd', 'EQ', 1]] });
    const thousand = await spansOf({});
    const sent = (spans: readonly ReadableSpan[]): number =>
      spans.reduce((sum, { attributes }) => sum + Number(attributes['tidings.outcome.SENT'] ?? 0), 0);
    expect([sent(ten), sent(thousand)]).toEqual([10, DEVICES]);
    // Two windows of a platform go in one batch; what differs is how often consumers find something to do.
    expect(thousand.length).toBeLessThanOrEqual(3 * ten.length);
  });

  it('tell of nobody: names and attributes are few, and hold no text of callers', async () => {
    const spans = traces.spans();
    expect(namesOf(spans).length).toBeLessThan(60);
    const texts = spans.flatMap(({ name, attributes }) => [name, ...Object.entries(attributes).flat().map(String)]);
    const told = [...new Set(texts)].join('\n');
    expect(told).not.toContain(application);
    expect(told).not.toMatch(/device-\d|token-\d|Hello|[0-9A-F]{4}-[0-9A-F]{8}-[0-9A-F]{8}/);
  });
});

describe('a collector', () => {
  const received: Buffer[] = [];
  const collector = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => received.push(chunk));
    request.on('end', () => response.end());
  });
  let endpoint: string;
  beforeAll(async () => {
    await once(collector.listen(0, '127.0.0.1'), 'listening');
    endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
    // Its own library reads where spans go.
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = endpoint;
  });
  afterAll(() => {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    collector.close();
  });

  /** What the collector gets of a platform with this environment that sends one message. */
  async function exportOf(env: Readonly<Record<string, string>>): Promise<string> {
    received.length = 0;
    const world = await platform({ env });
    const application = await world.application();
    await world.registerDevices(application, 1, () => ({ hwid: 'a', device_type: 3, push_token: 'token-of-a' }));
    await world.call('createMessage', { application, notifications: [{ content: 'Hello', devices: ['a'] }] });
    await world.settle();
    await world.stop();
    return Buffer.concat(received).toString('latin1');
  }

  it('gets the traces of a platform that is told where it is', async () => {
    const sent = await exportOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    for (const name of ['tidings', 'createMessage', 'commit messages', 'dispatch fcm']) expect(sent).toContain(name);
  });

  it('gets nothing of any other', async () => {
    expect(await exportOf({})).toBe('');
    expect(await exportOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' })).toBe('');
  });
});
