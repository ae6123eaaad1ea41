import { METHODS } from 'node:http';
import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { api, type Method } from '@tidings/contract';
import type { Logger } from '@tidings/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context, Handler } from './context.ts';
import { AdminController } from './http/admin.controller.ts';
import { ApiV2Controller } from './http/api-v2.controller.ts';
import { Exchange } from './http/exchange.ts';
import { Json13Controller } from './http/json13.controller.ts';
import { LinksController } from './http/links.controller.ts';
import { type Route, RouteTable } from './http/route.ts';
import { handlers } from './methods/handlers.ts';
import { ADMIN_TOKEN, CONTEXT, LOG } from './tokens.ts';

export interface GatewayModuleOptions {
  readonly context: Context;
  readonly adminToken: string;
  readonly log: Logger;
  /** Further modules on the same port, such as health. */
  readonly imports: NonNullable<DynamicModule['imports']>;
}

function exchangeOf(
  json13: Json13Controller,
  apiV2: ApiV2Controller,
  admin: AdminController,
  links: LinksController,
  log: Logger,
): Exchange {
  const controllers = { json13, apiV2, audience: apiV2, notify: apiV2, admin };
  const methods: Route[] = Object.entries<Method>(api).map(([name, method]) =>
    controllers[method.family].route(method, handlers[name as keyof typeof api] as Handler<Method>),
  );
  return new Exchange(new RouteTable([...methods, links.route()]), log);
}

/**
 * The HTTP API. Its routes are taken over from fastify before bodies are parsed: replies, limits and the order of checks are the API's
 * own, and a request costs no pipes, guards or interceptors.
 */
@Module({})
export class GatewayModule implements OnModuleInit {
  readonly #host: HttpAdapterHost;
  readonly #exchange: Exchange;

  constructor(@Inject(HttpAdapterHost) host: HttpAdapterHost, @Inject(Exchange) exchange: Exchange) {
    this.#host = host;
    this.#exchange = exchange;
  }

  static with({ context, adminToken, log, imports }: GatewayModuleOptions): DynamicModule {
    return {
      module: GatewayModule,
      imports,
      providers: [
        { provide: CONTEXT, useValue: context },
        { provide: ADMIN_TOKEN, useValue: adminToken },
        { provide: LOG, useValue: log },
        Json13Controller,
        ApiV2Controller,
        AdminController,
        LinksController,
        {
          provide: Exchange,
          inject: [Json13Controller, ApiV2Controller, AdminController, LinksController, LOG],
          useFactory: exchangeOf,
        },
      ],
    };
  }

  onModuleInit(): void {
    const fastify = this.#host.httpAdapter.getInstance<FastifyInstance>();
    for (const verb of METHODS) if (!fastify.supportedMethods.includes(verb)) fastify.addHttpMethod(verb);
    fastify.all('*', { onRequest: this.takeOver }, () => undefined);
  }

  /** Answers instead of fastify. */
  readonly takeOver = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    this.#exchange.handle(request.raw, reply.raw);
  };
}
