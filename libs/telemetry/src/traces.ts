import {
  type Attributes,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { Fault } from '@tidings/kernel';

/** A place in a trace, which travels to its continuations. */
export type Trace = SpanContext;

/** The settable parts of a running span. Values are bounded: no caller texts, no ids of devices or messages. */
export type Marking = Pick<Span, 'setAttributes' | 'setStatus'>;

export interface SpanOptions {
  /** The continued traces: the span is the child of the first sampled one, linked to the others. None = a new trace. */
  readonly of: Iterable<Trace | undefined>;
  /** A place that a stranger names: linked, without a part in what is recorded. */
  readonly stranger?: Trace | undefined;
  /** @default 'internal' */
  readonly kind?: 'server' | 'client' | 'consumer' | 'internal';
  readonly attributes?: Attributes;
}

/** Maximum links of a span. */
const LINKS_MAX = 32;

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

let tracer: Tracer | undefined;

/**
 * Records spans from now on, or none with undefined. The API's context manager and propagator must be set before (`startTracing` of
 * `@tidings/runtime` does all of it).
 */
export function recordWith(recorder: Tracer | undefined): void {
  tracer = recorder;
}

/** Whether spans are recorded: the only check on request paths while they are not. */
export const isTracing = (): boolean => tracer !== undefined;

/** The current place in a trace; undefined outside any trace, and while tracing is off. */
export const currentTrace = (): Trace | undefined => tracer && trace.getSpanContext(context.active());

/** The place in the headers, if any. */
export function traceOf(headers: Readonly<Record<string, unknown>> | undefined): Trace | undefined {
  if (!tracer || headers?.['traceparent'] === undefined) return undefined;
  return trace.getSpanContext(propagation.extract(ROOT_CONTEXT, headers));
}

/** The headers of a place: `traceparent`, and `tracestate` if any. */
export function headersOf(place: Trace): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(trace.setSpanContext(ROOT_CONTEXT, place), headers);
  return headers;
}

/** The record with headers of the current trace, unless it has trace headers already. */
export function withTrace<R extends { readonly headers?: Readonly<Record<string, string>> | undefined }>(record: R): R {
  const place = currentTrace();
  if (!place || record.headers?.['traceparent'] !== undefined) return record;
  return { ...record, headers: { ...record.headers, ...headersOf(place) } };
}

/**
 * Does work within a span, which ends with it; where tracing is off, only the work. Of a failure the span keeps the kind of Fault and no
 * text. Names are few.
 */
export async function inSpan<T>(name: string, options: SpanOptions, work: (span: Marking) => Promise<T>): Promise<T> {
  if (!tracer) return work(unrecorded);
  const span = start(tracer, name, options);
  try {
    return await context.with(trace.setSpan(ROOT_CONTEXT, span), work, undefined, span);
  } catch (error) {
    markFault(span, Fault.from(error));
    throw error;
  } finally {
    span.end();
  }
}

/** A span that is ended explicitly. One that never is, is not recorded. */
export interface OpenSpan {
  readonly place: Trace;
  end(): void;
}

/** Begins a span for work that is not one piece of asynchronous code; undefined while tracing is off. */
export function beginSpan(name: string, options: SpanOptions): OpenSpan | undefined {
  if (!tracer) return undefined;
  const span = start(tracer, name, options);
  return { place: span.spanContext(), end: () => span.end() };
}

/** Runs work for many outside the trace of the call that started it. */
export const outsideTraces = <T>(work: () => T): T => (tracer ? context.with(ROOT_CONTEXT, work) : work());

/** Marks a span as ended by a Fault. */
export function markFault(span: Marking, { kind }: Fault): void {
  span.setAttributes({ 'tidings.fault': kind });
  if (kind === 'bug' || kind === 'unavailable') span.setStatus({ code: SpanStatusCode.ERROR });
}

const unrecorded: Marking = {
  setAttributes: () => unrecorded as Span,
  setStatus: () => unrecorded as Span,
};

function start(by: Tracer, name: string, { of, stranger, kind = 'internal', attributes }: SpanOptions): Span {
  const { parent, links } = placed(of);
  if (stranger) links.push({ context: stranger });
  const options = { kind: kinds[kind], links, ...(attributes && { attributes }) };
  return by.startSpan(name, options, parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT);
}

const isSampled = ({ traceFlags }: Trace): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0;

/** Each trace is used once, wherever in it the places are. */
function placed(of: Iterable<Trace | undefined>): { readonly parent: Trace | undefined; readonly links: Link[] } {
  let first: Trace | undefined;
  const sampled = new Map<string, Trace>();
  for (const place of of) {
    if (!place) continue;
    first ??= place;
    if (isSampled(place) && !sampled.has(place.traceId)) sampled.set(place.traceId, place);
    if (sampled.size > LINKS_MAX) break;
  }
  const [parent = first, ...others] = sampled.values();
  return { parent, links: others.map((place) => ({ context: place })) };
}
