import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '@tidings/kernel';
import type { Logger } from '@tidings/runtime';
import { adminEnvelope } from '../envelopes/admin.ts';
import { apiV2Envelope } from '../envelopes/api-v2.ts';
import { audienceEnvelope } from '../envelopes/audience.ts';
import { json13Envelope } from '../envelopes/json13.ts';
import type { Reply } from '../envelopes/reply.ts';
import { crossOriginHeaders, preflightHeaders } from './cors.ts';
import { type Endpoint, pathOf, type Route, type RouteTable } from './route.ts';

const NOT_FOUND = Fault.notFound('Not Found');
const JSON_TYPE = 'application/json; charset=utf-8';
const METHOD_STYLE = /^\/json\/[^/]+\/./;

/** What is answered under a path that nothing is served under, by the family that it would belong to (R-ER5, R-V1). */
function unknownPath(path: string): Reply {
  if (METHOD_STYLE.test(path)) return json13Envelope.unknownMethod();
  if (path.startsWith('/api/v2/audience/')) return audienceEnvelope.fault(NOT_FOUND);
  if (path.startsWith('/admin/')) return adminEnvelope.fault(NOT_FOUND);
  return apiV2Envelope.fault(NOT_FOUND);
}

/** From a request to its reply: path, verb, and then what the route says (R-ER4). */
export class Exchange {
  readonly #routes: RouteTable;
  readonly #log: Logger;
  /** Whether somebody else on this port serves the path. */
  readonly #isElsewhere: (verb: string, path: string) => boolean;
  #closing = false;

  constructor(routes: RouteTable, isElsewhere: (verb: string, path: string) => boolean, log: Logger) {
    this.#routes = routes;
    this.#isElsewhere = isElsewhere;
    this.#log = log;
  }

  /** Answers a request; false where it is somebody else's. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#closing) response.shouldKeepAlive = false;
    const verb = request.method ?? '';
    const path = pathOf(request.url ?? '/');
    const endpoint = this.#routes.find(path);
    const route = endpoint?.routes.get(verb);
    if (route) void this.#answer(route, endpoint!, request, response);
    else if (verb === 'OPTIONS') write(request, response, { status: 204, body: '' });
    else if (endpoint) write(request, response, wrongVerb(endpoint));
    else if (this.#isElsewhere(verb, path)) return false;
    else write(request, response, unknownPath(path));
    return true;
  }

  /** From now on a connection ends with the reply that is under way on it. */
  close(): void {
    this.#closing = true;
  }

  /** Never rejects. */
  async #answer(
    route: Route,
    { parameters }: Endpoint,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    let reply: Reply;
    try {
      reply = await route.serve(request, parameters);
    } catch (thrown) {
      reply = this.#faultReply(route, Fault.from(thrown));
    }
    try {
      write(request, response, reply);
    } catch (error) {
      this.#log.error({ err: error, path: route.path }, 'reply not written');
      response.destroy();
    }
  }

  #faultReply({ path, envelope, method }: Route, fault: Fault): Reply {
    if (fault.kind === 'bug') this.#log.error({ err: fault, path }, 'request failed');
    else if (fault.kind === 'unavailable') this.#log.warn({ err: fault, path }, 'request not served');
    return envelope.fault(fault, method);
  }
}

const wrongVerb = ({ envelope, allow }: Endpoint): Reply => ({ ...envelope.wrongVerb(), headers: { allow } });

/** Writes a reply with the headers that every reply has. */
function write(request: IncomingMessage, response: ServerResponse, { status, body, file, headers }: Reply): void {
  if (response.destroyed) return;
  const lines: string[] = [];
  if (file) lines.push('content-type', file.type, 'content-length', String(file.bytes.length));
  else if (body !== '') lines.push('content-type', JSON_TYPE, 'content-length', String(Buffer.byteLength(body)));
  else if (status !== 204) lines.push('content-length', '0');
  if (headers) for (const [name, value] of Object.entries(headers)) lines.push(name, value);
  const { origin } = request.headers;
  if (origin !== undefined) lines.push(...crossOriginHeaders(origin).flat());
  if (request.method === 'OPTIONS') lines.push(...preflightHeaders(request).flat());
  response.writeHead(status, lines);
  response.end(file?.bytes ?? body);
}
