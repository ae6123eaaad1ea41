import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SpanKind } from '@opentelemetry/api';
import { type RecordedTraces, recordTraces } from '@tidings/testing';
import { type Client, openClient } from '../testing/gateway-client.ts';
import { APPLICATION, World } from '../testing/gateway-world.ts';

const device = { authorization: 'Token device' };
const registration = (hwid: string) => ({ application: APPLICATION, hwid, device_type: 3 });
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

let world: World;
let client: Client;
beforeEach(async () => {
  world = new World();
  client = await openClient(world);
});
afterEach(() => client.close());

describe('requests in the metrics', () => {
  it('are counted by method and by result', async () => {
    await client.json13('registerDevice', registration('phone-1'), device);
    await client.json13('registerDevice', registration('phone-2'), device);
    await client.json13('registerDevice', { hwid: 'phone-3' }, device);
    await client.json13('registerDevice', registration('phone-4'), { authorization: 'Token wrong' });
    await client.send('GET', '/json/1.3/registerDevice');
    await client.send('POST', '/json/1.3/phone-5', '{}');
    await client.send('GET', '/s/abcdefgh');
    await client.send('GET', '/s/unknown0');
    const name = 'tidings_http_request_seconds';
    const { values } = await world.metrics.getSingleMetric(name)!.get();
    const counts = values.filter((value) => (value as { metricName?: string }).metricName === `${name}_count`);
    expect(
      Object.fromEntries(counts.map(({ labels: { method, result }, value }) => [`${method} ${result}`, value])),
    ).toEqual({
      'registerDevice ok': 2,
      'registerDevice malformed': 1,
      'registerDevice forbidden': 1,
      'none wrongVerb': 1,
      'none notFound': 1,
      '/s/{code} ok': 1,
      '/s/{code} notFound': 1,
    });
  });
});

describe('spans of requests', () => {
  let traces: RecordedTraces;
  beforeEach(async () => {
    traces = await recordTraces();
  });
  afterEach(() => traces.stop());
  const span = (name: string) => traces.spans().find((each) => each.name === name);

  it('are named after their method, without data of the caller', async () => {
    await client.json13('registerDevice', registration('phone-1'), device);
    await client.send('GET', '/s/unknown0');
    expect(span('registerDevice')).toMatchObject({
      kind: SpanKind.SERVER,
      parentSpanContext: undefined,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/json/1.3/registerDevice',
        'http.response.status_code': 200,
      },
    });
    expect(span('/s/{code}')!.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/s/{code}',
      'http.response.status_code': 404,
      'tidings.fault': 'notFound',
    });
  });

  it.each(['00', '01'])('are linked to the trace of the caller, and not a part of it: flags %s', async (flags) => {
    const traceparent = `00-${TRACE}-${SPAN}-${flags}`;
    await client.json13('registerDevice', registration('phone-1'), { ...device, traceparent });
    const { parentSpanContext, links } = span('registerDevice')!;
    expect(parentSpanContext).toBeUndefined();
    expect(span('registerDevice')!.spanContext().traceId).not.toBe(TRACE);
    expect(links).toMatchObject([{ context: { traceId: TRACE, spanId: SPAN } }]);
  });

  it('are linked to the span of the group that carries their commands', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => client.json13('registerDevice', registration(`phone-${i}`), device)),
    );
    const requests = traces.spans().filter(({ name }) => name === 'registerDevice');
    const groups = traces.spans().filter(({ name }) => name === 'apply device commands');
    const led = groups.map((group) => group.spanContext().traceId);
    const linked = groups.flatMap(({ links }) => links.map(({ context }) => context.traceId));
    expect(new Set([...led, ...linked])).toEqual(new Set(requests.map((request) => request.spanContext().traceId)));
  });

  it('are the parents of the reports that they publish', async () => {
    const hash = 'P_423M_lQlKFY_bEL-4nm3p4-4bbkUN';
    await client.json13('pushStat', { application: APPLICATION, hwid: 'phone-1', hash }, device);
    const { traceId, spanId } = span('pushStat')!.spanContext();
    expect(world.records.map(({ headers }) => headers)).toEqual([{ traceparent: `00-${traceId}-${spanId}-01` }]);
  });
});

it('requests are not recorded while tracing is off', async () => {
  await client.json13('registerDevice', registration('phone-1'), {
    ...device,
    traceparent: `00-${TRACE}-${SPAN}-01`,
  });
  const hash = 'P_423M_lQlKFY_bEL-4nm3p4-4bbkUN';
  await client.json13('pushStat', { application: APPLICATION, hwid: 'phone-1', hash }, device);
  expect(world.records.map(({ headers }) => headers)).toEqual([undefined]);
});
