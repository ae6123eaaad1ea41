import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { REQUEST_MS } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Logger } from '@tidings/runtime';
import { inSpan, isTracing, markFault, traceOf } from '@tidings/telemetry';
import { adminEnvelope } from '../envelopes/admin.ts';
import { apiV2Envelope } from '../envelopes/api-v2.ts';
import { audienceEnvelope } from '../envelopes/audience.ts';
import { json13Envelope } from '../envelopes/json13.ts';
import type { Reply } from '../envelopes/reply.ts';
import { crossOriginHeaders, preflightHeaders } from './cors.ts';
import { discard } from './body.ts';
import { type FaultLog, faultLog } from './fault-log.ts';
import type { RequestMeter, RequestResult } from './meter.ts';
import { type PendingRequest, type PendingRequests, SlowBody } from '../limits/pending-requests.ts';
import { type Endpoint, originForm, pathOf, type Route, type RouteTable } from './route.ts';

const NOT_FOUND = Fault.notFound('Not Found');
const JSON_TYPE = 'application/json; charset=utf-8';
/** How long streamed replies may continue while the gateway closes. */
const CLOSING_MS = 10_000;
/** Retry-After of a request that was not served: long enough that retries do not overload a recovering service. */
const RETRY_AFTER_SECONDS = 5;
const SLOW: Reply = { status: 408, body: '', headers: { connection: 'close' } };
const METHOD_STYLE = /^\/json\/[^/]+(\/|$)/;

/** The reply to an unserved path, in the envelope of the family that it would belong to (R-ER5, R-V1). */
function unknownPath(path: string): Reply {
  if (METHOD_STYLE.test(path)) return json13Envelope.unknownMethod();
  if (path.startsWith('/api/v2/audience/')) return audienceEnvelope.fault(NOT_FOUND);
  if (path.startsWith('/admin/')) return adminEnvelope.fault(NOT_FOUND);
  return apiV2Envelope.fault(NOT_FOUND);
}

/** A reply, and its fault if it reports one. */
interface Answer {
  readonly reply: Reply;
  readonly fault?: Fault;
  readonly isSlow?: boolean;
}

export interface ExchangeDeps {
  readonly log: Logger;
  readonly meter: RequestMeter;
  readonly requests: PendingRequests;
}

/** Leads a request to its reply: checks the path, then the verb, then calls the route (R-ER4). */
export class Exchange {
  readonly #routes: RouteTable;
  readonly #log: Logger;
  readonly #logFault: FaultLog;
  readonly #meter: RequestMeter;
  readonly #requests: PendingRequests;
  /** Whether another handler on this port serves the path. */
  readonly #isElsewhere: (verb: string, path: string) => boolean;
  #closing = false;
  /** Aborts streamed replies. */
  readonly #ending = new AbortController();

  constructor(
    routes: RouteTable,
    isElsewhere: (verb: string, path: string) => boolean,
    { log, meter, requests }: ExchangeDeps,
  ) {
    this.#routes = routes;
    this.#isElsewhere = isElsewhere;
    this.#log = log;
    this.#logFault = faultLog(log);
    this.#meter = meter;
    this.#requests = requests;
  }

  /** Answers a request; false if another handler serves it. Never throws: no input from a socket may end the process. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    try {
      return this.#dispatched(request, response);
    } catch (thrown) {
      const fault = Fault.from(thrown);
      this.#log.error({ err: fault }, 'request failed');
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': JSON_TYPE }).end(lineOf(apiV2Envelope.fault(fault)));
      return true;
    }
  }

  #dispatched(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#closing) response.shouldKeepAlive = false;
    const verb = request.method ?? '';
    request.url = originForm(request.url ?? '/');
    const path = pathOf(request.url);
    const endpoint = this.#routes.find(path);
    const route = endpoint?.routes.get(verb) ?? (verb === 'HEAD' ? fileIn(endpoint) : undefined);
    if (route) void this.#answer(route, endpoint!, request, response);
    else if (verb === 'OPTIONS') write(request, response, { status: 204, body: '' });
    else if (endpoint) this.#refuse('wrongVerb', wrongVerb(endpoint), request, response);
    else if (this.#isElsewhere(verb, path)) return false;
    else this.#refuse('notFound', unknownPath(path), request, response);
    return true;
  }

  /** Makes each connection close after its current reply. */
  close(): void {
    this.#closing = true;
    setTimeout(() => this.#ending.abort(), CLOSING_MS).unref();
  }

  /** Answers a request that no route serves. */
  #refuse(result: RequestResult, reply: Reply, request: IncomingMessage, response: ServerResponse): void {
    const startedAt = performance.now();
    write(request, response, reply);
    this.#meter('none', result, startedAt);
  }

  /** Never rejects. */
  async #answer(
    route: Route,
    { parameters }: Endpoint,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const startedAt = performance.now();
    const { reply, fault, isSlow } = isTracing()
      ? await this.#servedInSpan(route, parameters, request)
      : await this.#served(route, parameters, request);
    // The gateway may have begun to close since the request came.
    if (this.#closing) response.shouldKeepAlive = false;
    try {
      if (reply.stream) await this.#writeStream(reply.stream, request, response, reply);
      else write(request, response, reply);
    } catch (error) {
      this.#log.error({ err: error, path: route.path }, 'reply not written');
      response.destroy();
    }
    this.#meter(nameOf(route), fault?.kind ?? (isSlow ? 'slow' : 'ok'), startedAt);
  }

  /** Ends with the last byte, or when the caller disconnects. */
  async #writeStream(
    { length, bytes }: NonNullable<Reply['stream']>,
    request: IncomingMessage,
    response: ServerResponse,
    reply: Reply,
  ): Promise<void> {
    if (response.destroyed) return;
    writeHead(request, response, reply);
    if (request.method === 'HEAD') return void response.end();
    try {
      await pipeline(length === undefined ? bytes : wholly(bytes, length), response, { signal: this.#ending.signal });
    } catch (error) {
      // The reply is shorter than announced, so that the caller cannot take it for the whole.
      const { code } = error as { code?: unknown };
      if (code !== 'ERR_STREAM_PREMATURE_CLOSE' && code !== 'ABORT_ERR') throw error;
    }
  }

  async #served(route: Route, parameters: Endpoint['parameters'], request: IncomingMessage): Promise<Answer> {
    try {
      const serve = (pending: PendingRequest): Promise<Reply> => route.serve(request, parameters, pending);
      return { reply: await this.#requests.serve(route.method?.deadlineMs ?? REQUEST_MS, serve) };
    } catch (thrown) {
      if (thrown instanceof SlowBody) return { reply: SLOW, isSlow: true };
      const fault = Fault.from(thrown);
      return { reply: this.#faultReply(route, fault), fault };
    }
  }

  /** Serves a request in a span that is linked to the trace that its header names, if any. */
  #servedInSpan(route: Route, parameters: Endpoint['parameters'], request: IncomingMessage): Promise<Answer> {
    const attributes = { 'http.request.method': route.verb, 'http.route': route.path };
    const options = { of: [], stranger: traceOf(request.headers), kind: 'server', attributes } as const;
    return inSpan(nameOf(route), options, async (span) => {
      const answer = await this.#served(route, parameters, request);
      span.setAttributes({ 'http.response.status_code': answer.reply.status });
      if (answer.fault) markFault(span, answer.fault);
      return answer;
    });
  }

  #faultReply({ path, envelope, method }: Route, fault: Fault): Reply {
    this.#logFault(fault, path);
    const reply = envelope.fault(fault, method);
    const retryAfterSeconds =
      fault.retryAfterSeconds ?? (fault.kind === 'unavailable' ? RETRY_AFTER_SECONDS : undefined);
    return retryAfterSeconds === undefined ? reply : withHeaders(reply, { 'retry-after': String(retryAfterSeconds) });
  }
}

/** The name of a route in metrics and traces: never an address with ids in it. */
const nameOf = ({ method, path }: Route): string => method?.name ?? path;

/** The route that HEAD may use: the route of a download, never an API method. */
function fileIn(endpoint: Endpoint | undefined): Route | undefined {
  const route = endpoint?.routes.get('GET');
  return route?.method ? undefined : route;
}

/** A reply with further headers beside its own. */
const withHeaders = (reply: Reply, headers: NonNullable<Reply['headers']>): Reply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
});

const wrongVerb = ({ envelope, allow }: Endpoint): Reply => withHeaders(envelope.wrongVerb(), { allow });

/** Yields exactly the announced number of bytes, or throws. */
async function* wholly(bytes: AsyncIterable<Uint8Array>, length: number): AsyncIterable<Uint8Array> {
  let rest = length;
  for await (const chunk of bytes) {
    rest -= chunk.length;
    yield chunk;
  }
  if (rest !== 0) throw Fault.bug(`a reply is ${rest} bytes shorter than announced`);
}

/** The body of a reply with a trailing newline, so that a terminal prompt begins on a new line. */
const lineOf = ({ body }: Reply): string => (body === '' ? '' : `${body}\n`);

/** Writes a reply, except for a stream. */
function write(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  if (response.destroyed) return;
  writeHead(request, response, reply);
  response.end(reply.file?.bytes ?? lineOf(reply));
  // The request was refused before its body was read.
  if (!request.complete && request.readableFlowing === null) discard(request);
}

/** Writes the headers common to all replies. */
function writeHead(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, file, stream, headers }: Reply,
): void {
  const lines: string[] = [];
  if (stream) {
    lines.push('content-type', stream.type);
    if (stream.length !== undefined) lines.push('content-length', String(stream.length));
  }
  if (file) lines.push('content-type', file.type, 'content-length', String(file.bytes.length));
  else if (body !== '') lines.push('content-type', JSON_TYPE, 'content-length', String(Buffer.byteLength(body) + 1));
  else if (status !== 204 && !stream) lines.push('content-length', '0');
  if (headers) for (const [name, value] of Object.entries(headers)) lines.push(name, value);
  const { origin } = request.headers;
  if (origin !== undefined) lines.push(...crossOriginHeaders(origin).flat());
  if (request.method === 'OPTIONS') lines.push(...preflightHeaders(request).flat());
  response.writeHead(status, lines);
}
