import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Context } from '../context.ts';
import { envelopes } from '../envelopes/envelopes.ts';
import type { Reply } from '../envelopes/reply.ts';
import { type Authorization, authorizeCall, inputOf } from '../http/authorize-call.ts';
import { discard } from '../http/body.ts';
import { crossOriginHeaders } from '../http/cors.ts';
import { methods, type NamedMethod } from '../http/families.ts';
import { LargeBodies } from '../http/large-bodies.ts';
import { JSON_TYPE, lineOf } from '../http/replies.ts';
import { RequestRunner } from '../http/request-runner.ts';
import type { ApiRoute } from '../http/served-request.ts';
import { originForm, pathOf } from '../http/target.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { MethodHandlers } from './method-handlers.ts';

interface DeviceRoute extends ApiRoute {
  readonly named: NamedMethod;
}

const routes = new Map<string, DeviceRoute>(
  methods
    .filter(({ method }) => method.scope === 'device')
    .map((named) => {
      const { verb, path: pattern, family } = named.method;
      return [pattern, { verb, pattern, envelope: envelopes[family], named }];
    }),
);

/** Bypasses fastify and Nest: their routers take half of such a request's CPU time (ADR 74). */
@Injectable()
export class DeviceListener {
  readonly #log: Context['log'];
  readonly #authorization: Authorization;
  readonly #runner: RequestRunner;
  readonly #handlers: MethodHandlers;
  #isClosing = false;

  constructor(
    @Inject(CONTEXT) context: Context,
    @Inject(LargeBodies) bodies: LargeBodies,
    @Inject(RequestRunner) runner: RequestRunner,
    @Inject(MethodHandlers) handlers: MethodHandlers,
  ) {
    this.#log = context.log;
    this.#authorization = { context, bodies };
    this.#runner = runner;
    this.#handlers = handlers;
  }

  handle(message: IncomingMessage, response: ServerResponse): boolean {
    const route = routes.get(pathOf(originForm(message.url ?? '')));
    if (!route || message.method !== route.verb) return false;
    this.#serve(route, message, response).catch((error: unknown) => {
      this.#log.error({ err: error, path: route.pattern }, 'reply not written');
      response.destroy();
    });
    return true;
  }

  close(): void {
    this.#isClosing = true;
  }

  async #serve(route: DeviceRoute, message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { named } = route;
    const { reply } = await this.#runner.run(route, message, async (pending) => {
      const received = { message, pending, parameters: {} };
      const authorized = await authorizeCall(named.method, received, this.#authorization);
      const input = await inputOf(named.method, authorized);
      const answer = await this.#handlers.answer(named, input, authorized.call);
      return { status: answer.status, reply: answer };
    });
    // The gateway may have begun to close since the request came.
    if (this.#isClosing) response.shouldKeepAlive = false;
    write(message, response, reply!);
  }
}

function write(message: IncomingMessage, response: ServerResponse, reply: Reply): void {
  if (response.destroyed) return;
  const line = lineOf(reply);
  const head = ['content-length', String(Buffer.byteLength(line))];
  if (line !== '') head.push('content-type', JSON_TYPE);
  if (reply.headers) for (const [name, value] of Object.entries(reply.headers)) head.push(name, value);
  const { origin } = message.headers;
  if (origin !== undefined) head.push(...crossOriginHeaders(origin).flat());
  response.writeHead(reply.status, head).end(line);
  if (!message.complete && message.readableFlowing === null) discard(message);
}
