import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SpanStatusCode } from '@opentelemetry/api';
import { Fault } from '@tidings/kernel';
import { type RecordedTraces, recordTraces } from '@tidings/testing';
import {
  beginSpan,
  currentTrace,
  headersOf,
  inSpan,
  isTracing,
  outsideTraces,
  type Trace,
  traceOf,
  withTrace,
} from './traces.ts';

const place = (trace: number, sampled = true): Trace => ({
  traceId: trace.toString(16).padStart(32, '0'),
  spanId: '00f067aa0ba902b7',
  traceFlags: sampled ? 1 : 0,
});

const record = { key: 'a', headers: { colour: 'red' } };

describe('work without recording', () => {
  it('is done without other effects', async () => {
    expect(isTracing()).toBe(false);
    await inSpan('work', { of: [place(1)] }, async (span) => {
      span.setAttributes({ devices: 1 });
      expect(currentTrace()).toBeUndefined();
      expect(withTrace(record)).toBe(record);
    });
    expect(traceOf({ traceparent: `00-${place(1).traceId}-00f067aa0ba902b7-01` })).toBeUndefined();
    expect(beginSpan('work', { of: [] })).toBeUndefined();
  });
});

describe('spans', () => {
  let traces: RecordedTraces;
  beforeEach(async () => {
    traces = await recordTraces();
  });
  afterEach(() => traces.stop());
  const span = (name: string) => traces.spans().find((each) => each.name === name)!;

  it('begin a trace without one to continue', async () => {
    await inSpan('work', { of: [undefined] }, async () => undefined);
    expect(span('work').parentSpanContext).toBeUndefined();
    expect(span('work').links).toEqual([]);
  });

  it('continue the first sampled trace, and are linked to each further one once', async () => {
    const further = { ...place(2), spanId: '00f067aa0ba902b8' };
    const of = [undefined, place(9, false), place(1), place(2), further, place(1), place(3, false), place(4)];
    await inSpan('work', { of }, async () => undefined);
    expect(span('work').spanContext().traceId).toBe(place(1).traceId);
    expect(span('work').links.map(({ context }) => context)).toEqual([place(2), place(4)]);
  });

  it('are linked to 32 traces at most', async () => {
    await inSpan('work', { of: Array.from({ length: 100 }, (_, i) => place(i + 1)) }, async () => undefined);
    expect(span('work').links).toHaveLength(32);
  });

  it('are not recorded if none of the traces is', async () => {
    await inSpan('work', { of: [place(1, false), place(2, false)] }, async () => {
      expect(currentTrace()).toMatchObject({ traceId: place(1).traceId, traceFlags: 0 });
    });
    expect(traces.spans()).toEqual([]);
  });

  it('are active in their own code only, asynchronous code included', async () => {
    const seen: unknown[] = [];
    await Promise.all([
      inSpan('a', { of: [place(1)] }, async () => {
        await new Promise(setImmediate);
        seen.push(currentTrace()?.traceId);
        outsideTraces(() => seen.push(currentTrace()));
        await inSpan('b', { of: [currentTrace()] }, async () => undefined);
      }),
      new Promise<void>((resolve) => setImmediate(resolve)).then(() => seen.push(currentTrace())),
    ]);
    expect(seen).toHaveLength(3);
    expect(seen).toEqual(expect.arrayContaining([place(1).traceId, undefined, undefined]));
    expect(span('b').parentSpanContext?.spanId).toBe(span('a').spanContext().spanId);
  });

  it('are propagated in existing headers, or in added ones', async () => {
    await inSpan('work', { of: [place(1)] }, async () => {
      const traced = withTrace(record);
      expect(traced.headers).toMatchObject({ colour: 'red' });
      expect(traceOf(traced.headers)).toMatchObject({ traceId: place(1).traceId, traceFlags: 1 });
      expect(traceOf(traced.headers)?.spanId).toBe(currentTrace()?.spanId);
      await inSpan('other', { of: [place(2)] }, async () => expect(withTrace(traced)).toBe(traced));
    });
    expect(headersOf(place(1, false))).toEqual({ traceparent: `00-${place(1).traceId}-00f067aa0ba902b7-00` });
    expect(traceOf({ traceparent: 'nonsense' })).toBeUndefined();
    expect(traceOf(undefined)).toBeUndefined();
  });

  it('contain the kind of a failure and not its text', async () => {
    const refused = inSpan('refused', { of: [] }, async () => {
      throw Fault.argument('the text of a caller');
    });
    await expect(refused).rejects.toMatchObject({ kind: 'argument' });
    const failed = inSpan('failed', { of: [] }, async () => {
      throw new Error('a detail');
    });
    await expect(failed).rejects.toThrow('a detail');
    expect(span('refused')).toMatchObject({
      attributes: { 'tidings.fault': 'argument' },
      status: { code: SpanStatusCode.UNSET },
    });
    expect(span('failed')).toMatchObject({
      attributes: { 'tidings.fault': 'bug' },
      status: { code: SpanStatusCode.ERROR },
      events: [],
    });
  });

  it('may be ended explicitly, and are not exported before', () => {
    const begun = beginSpan('work', { of: [place(1)] });
    expect(traces.spans()).toEqual([]);
    begun!.end();
    expect(span('work').spanContext()).toEqual(begun!.place);
    expect(begun!.place.traceId).toBe(place(1).traceId);
  });
});
