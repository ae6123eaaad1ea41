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

export type Trace = SpanContext;

/** Values are bounded: no caller texts, no ids. */
export type Marking = Pick<Span, 'setAttributes' | 'setStatus'>;

export interface SpanOptions {
  /** Child of the first sampled trace, linked to the others; none = a new trace. */
  readonly of: Iterable<Trace | undefined>;
  /** Linked, without a part in what is recorded. */
  readonly untrusted?: Trace | undefined;
  /** @default 'internal' */
  readonly kind?: 'server' | 'client' | 'consumer' | 'internal';
  readonly attributes?: Attributes;
}

const LINKS_MAX = 32;

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

let tracer: Tracer | undefined;

/** The API's context manager and propagator must be set before. */
export function recordWith(recorder: Tracer | undefined): void {
  tracer = recorder;
}

export const isTracing = (): boolean => tracer !== undefined;

export const currentTrace = (): Trace | undefined => tracer && trace.getSpanContext(context.active());

export function traceOf(headers: Readonly<Record<string, unknown>> | undefined): Trace | undefined {
  if (!tracer || headers?.['traceparent'] === undefined) return undefined;
  return trace.getSpanContext(propagation.extract(ROOT_CONTEXT, headers));
}

export function headersOf(place: Trace): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(trace.setSpanContext(ROOT_CONTEXT, place), headers);
  return headers;
}

export function withTrace<R extends { readonly headers?: Readonly<Record<string, string>> | undefined }>(record: R): R {
  const place = currentTrace();
  if (!place || record.headers?.['traceparent'] !== undefined) return record;
  return { ...record, headers: { ...record.headers, ...headersOf(place) } };
}

/** The span keeps a failure's kind of Fault, and no text. */
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

export interface OpenSpan {
  readonly place: Trace;
  end(): void;
}

/** Undefined while tracing is off. */
export function beginSpan(name: string, options: SpanOptions): OpenSpan | undefined {
  if (!tracer) return undefined;
  const span = start(tracer, name, options);
  return { place: span.spanContext(), end: () => span.end() };
}

export const outsideTraces = <T>(work: () => T): T => (tracer ? context.with(ROOT_CONTEXT, work) : work());

export function markFault(span: Marking, { kind }: Fault): void {
  span.setAttributes({ 'tidings.fault': kind });
  if (kind === 'bug' || kind === 'unavailable') span.setStatus({ code: SpanStatusCode.ERROR });
}

const unrecorded: Marking = {
  setAttributes: () => unrecorded as Span,
  setStatus: () => unrecorded as Span,
};

function start(by: Tracer, name: string, { of, untrusted, kind = 'internal', attributes }: SpanOptions): Span {
  const { parent, links } = placed(of);
  if (untrusted) links.push({ context: untrusted });
  const options = { kind: kinds[kind], links, ...(attributes && { attributes }) };
  return by.startSpan(name, options, parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT);
}

const isSampled = ({ traceFlags }: Trace): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0;

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
