import { afterEach, describe, expect, it } from '@jest/globals';
import { SpanKind } from '@opentelemetry/api';
import { Fault } from '@tidings/kernel';
import { currentTrace, inSpan } from '@tidings/telemetry';
import { recordTraces } from '@tidings/testing';
import { Registry } from 'prom-client';
import { type Echo, echoDefinition, Echoing } from '../rpc.features.ts';
import { remote } from './remote.ts';
import { openReplicas } from './replicas.ts';
import { serve, testAccess } from './testing/rpc-process.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function open(say: Echo['say']) {
  const [served, made] = [new Registry(), new Registry()];
  const echo: Echo = { say, repeat: (request) => new Echoing().repeat(request) };
  const process = await serve([[echoDefinition, echo]], { metrics: served });
  closers.push(() => process.close());
  const replicas = await openReplicas(process.address, { access: testAccess, metrics: made });
  closers.push(() => replicas.close());
  return { echo: remote<Echo>(echoDefinition, replicas), served, made };
}

async function counted(registry: Registry, side: 'client' | 'server'): Promise<Record<string, number>> {
  const name = `tidings_rpc_${side}_call_seconds`;
  const { values } = await registry.getSingleMetric(name)!.get();
  const counts = values.filter((value) => (value as { metricName?: string }).metricName === `${name}_count`);
  return Object.fromEntries(
    counts.map(({ labels: { service, method, code }, value }) => [`${service}/${method} ${code}`, value]),
  );
}

describe('calls', () => {
  it('are counted on both sides, by method and code', async () => {
    const { echo, served, made } = await open(async ({ text }) => {
      if (text === 'no') throw Fault.notFound('no');
      return { text };
    });
    await echo.say({ text: 'yes' });
    await echo.say({ text: 'yes' });
    await expect(echo.say({ text: 'no' })).rejects.toMatchObject({ kind: 'notFound' });
    for await (const _ of echo.repeat({ text: 'yes' }));
    const calls = { 'test.Echo/Say OK': 2, 'test.Echo/Say NOT_FOUND': 1 };
    expect(await counted(made, 'client')).toEqual(calls);
    expect(await counted(served, 'server')).toEqual({ ...calls, 'test.Echo/Repeat OK': 1 });
  });

  it('are a span on either side, in the trace of the caller', async () => {
    const traces = await recordTraces();
    closers.push(() => traces.stop());
    const seen: unknown[] = [];
    const { echo } = await open(async ({ text }) => {
      await new Promise(setImmediate);
      seen.push(currentTrace()?.traceId);
      return { text };
    });
    await inSpan('caller', { of: [] }, () => echo.say({ text: 'a' }));
    const [server, client, caller] = traces.spans();
    expect([server, client, caller].map((span) => [span!.name, span!.kind])).toEqual([
      ['test.Echo/Say', SpanKind.SERVER],
      ['test.Echo/Say', SpanKind.CLIENT],
      ['caller', SpanKind.INTERNAL],
    ]);
    expect(server!.parentSpanContext).toMatchObject({ spanId: client!.spanContext().spanId, isRemote: true });
    expect(client!.parentSpanContext?.spanId).toBe(caller!.spanContext().spanId);
    expect(server!.attributes).toMatchObject({ 'rpc.response.status_code': 'OK' });
    expect(seen).toEqual([caller!.spanContext().traceId]);
  });

  it('record their failure in their spans', async () => {
    const traces = await recordTraces();
    closers.push(() => traces.stop());
    const { echo } = await open(() => Promise.reject(Fault.conflict('taken')));
    await expect(echo.say({ text: 'a' })).rejects.toMatchObject({ kind: 'conflict' });
    const [server, client] = traces.spans();
    expect(server!.attributes).toMatchObject({ 'rpc.response.status_code': 'ABORTED' });
    expect(client!.attributes).toMatchObject({ 'tidings.fault': 'conflict' });
  });
});
