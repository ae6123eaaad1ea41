import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type Reply, withHeaders } from '../envelopes/reply.ts';
import { discard } from './body.ts';
import { crossOriginHeaders, preflightHeaders } from './cors.ts';
import { envelopeOf, methodOf, patternOf, unknownPath, verbsOf } from './families.ts';
import { bodyOf } from './replies.ts';
import type { RequestRunner } from './request-runner.ts';
import { type ApiRoute, isOfApi, type ServedRequest } from './served-request.ts';
import { ANY_TYPE } from './target.ts';

const CLOSING_MS = 10_000;

interface Endpoint {
  readonly pattern: string;
  readonly expression: RegExp;
  readonly verbs: string[];
}

const expressionOf = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`);

export class ServedRoutes {
  readonly #runner: RequestRunner;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #neighbours = new Set<string>();
  readonly #closing = new AbortController();
  #isClosing = false;

  constructor(runner: RequestRunner) {
    this.#runner = runner;
  }

  install(server: FastifyInstance): void {
    server.addContentTypeParser(ANY_TYPE, (_request, _payload, done) => done(null));
    for (const member of ['route', 'pending', 'authorized', 'fault']) server.decorateRequest(member, undefined);
    server.addHook('onRoute', (route) => this.#add(route));
    server.addHook('onSend', (request, response, payload, done) => {
      if (this.#isClosing) response.header('connection', 'close');
      if (!this.isNeighbour(request.method, request.routeOptions.url)) this.#prepare(request, response);
      done(null, payload);
    });
  }

  /** Whether another module on the same port serves the path. */
  isNeighbour(verb: string, path: string | undefined): boolean {
    return this.#neighbours.has(`${verb} ${path}`);
  }

  close(): void {
    this.#isClosing = true;
    setTimeout(() => this.#closing.abort(), CLOSING_MS).unref();
  }

  bodyOf(response: FastifyReply, reply: Reply): ReturnType<typeof bodyOf> {
    return bodyOf(response, reply, this.#closing.signal);
  }

  refuse(request: FastifyRequest, response: FastifyReply): void {
    const [path = ''] = request.url.split('?');
    const endpoint = this.#endpointAt(path);
    let reply: Reply;
    if (request.method === 'OPTIONS') reply = { status: 204, body: '' };
    else if (endpoint)
      reply = withHeaders(envelopeOf(endpoint.pattern).wrongVerb(), { allow: endpoint.verbs.join(', ') });
    else reply = unknownPath(path);
    if (request.method !== 'OPTIONS') this.#runner.measureUnserved(endpoint ? 'wrongVerb' : 'notFound');
    response.send(this.bodyOf(response, reply));
  }

  #add(route: RouteOptions): void {
    const pattern = patternOf(route.url);
    const verb = String(route.method);
    if (!isOfApi(route)) return void this.#neighbours.add(`${verb} ${pattern}`);
    // The server adds HEAD to each GET: it is for downloads only.
    if (verb === 'HEAD' && methodOf('GET', pattern))
      route.handler = (request, response) => this.refuse(request, response);
    else this.#serve(route, { verb, pattern, envelope: envelopeOf(pattern), named: methodOf(verb, pattern) });
    if (verb === 'HEAD') return;
    const existing = this.#endpoints.get(pattern);
    const verbs = existing?.verbs ?? verbsOf(pattern);
    if (!verbs.includes(verb)) verbs.push(verb);
    if (!existing) this.#endpoints.set(pattern, { pattern, expression: expressionOf(pattern), verbs });
  }

  #serve(route: RouteOptions, served: ApiRoute): void {
    const { handler } = route;
    const runner = this.#runner;
    const bodyOfReply = (response: FastifyReply, reply: Reply) => this.bodyOf(response, reply);
    route.handler = async function (received, response) {
      const request = received as ServedRequest;
      request.route = served;
      const { reply } = await runner.run(served, request.raw, async (pending) => {
        request.pending = pending;
        await handler.call(this, request, response);
        return { status: response.statusCode, fault: request.fault };
      });
      if (reply && !response.sent) response.send(bodyOfReply(response, reply));
      return response;
    };
  }

  #endpointAt(path: string): Endpoint | undefined {
    // Nothing is there but a redirect for people (R-ER5).
    if (path === '/') return undefined;
    const exact = this.#endpoints.get(path);
    if (exact) return exact;
    for (const endpoint of this.#endpoints.values()) if (endpoint.expression.test(path)) return endpoint;
    return undefined;
  }

  #prepare({ raw, headers, method }: FastifyRequest, response: FastifyReply): void {
    if (headers.origin !== undefined) {
      const vary = response.getHeader('vary');
      response.headers(Object.fromEntries(crossOriginHeaders(headers.origin)));
      if (vary !== undefined) response.header('vary', [vary, 'Origin'].flat());
    }
    if (method === 'OPTIONS') response.headers(Object.fromEntries(preflightHeaders(raw)));
    if (!raw.complete && raw.readableFlowing === null) discard(raw);
  }
}
