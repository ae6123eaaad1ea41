import { type DynamicModule, Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { api, type Method } from '@tidings/contract';
import type { Operations } from '@tidings/rpc';
import type { Logger } from '@tidings/runtime';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Context, Handler } from './context.ts';
import { AdminController } from './http/admin.controller.ts';
import { ApiV2Controller } from './http/api-v2.controller.ts';
import { DocsController } from './http/docs.controller.ts';
import { Exchange } from './http/exchange.ts';
import { Json13Controller } from './http/json13.controller.ts';
import { LinksController } from './http/links.controller.ts';
import { requestMeter } from './http/meter.ts';
import { type Route, RouteTable } from './http/route.ts';
import { handlers } from './methods/handlers.ts';
import { ADMIN_TOKEN, CONTEXT, OWN_OPERATIONS } from './tokens.ts';

export interface GatewayModuleOptions {
  readonly context: Context;
  readonly adminToken: string;
  readonly log: Logger;
  readonly metrics: Registry;
  /** The gateway's own, provided as OWN_OPERATIONS. */
  readonly operations: Operations;
  /** Further modules on the same port, such as health. */
  readonly imports: NonNullable<DynamicModule['imports']>;
  /** Further controllers. */
  readonly controllers: NonNullable<DynamicModule['controllers']>;
}

type OwnControllers = [Json13Controller, ApiV2Controller, AdminController, LinksController, DocsController];

function routesOf(...[json13, apiV2, admin, links, docs]: OwnControllers): RouteTable {
  const controllers = { json13, apiV2, audience: apiV2, notify: apiV2, admin };
  const methods: Route[] = Object.entries<Method>(api).map(([name, method]) =>
    controllers[method.family].route(method, handlers[name as keyof typeof api] as Handler<Method>),
  );
  return new RouteTable([...methods, ...links.routes(), ...docs.routes()]);
}

/** What Nest serves on the same port, health above all, stays Nest's. Its routes are learned while it adds them, so no path is read as a pattern. */
function servedByNest({ httpAdapter }: HttpAdapterHost): (verb: string, path: string) => boolean {
  const served = new Set<string>();
  httpAdapter.getInstance<FastifyInstance>().addHook('onRoute', ({ method, url }) => {
    for (const verb of [method].flat()) served.add(`${verb} ${url}`);
  });
  return (verb, path) => served.has(`${verb} ${path}`);
}

/** The HTTP API: a controller per family, and the exchange in front of them. */
@Module({})
export class GatewayModule implements OnModuleDestroy {
  readonly #exchange: Exchange;

  constructor(@Inject(Exchange) exchange: Exchange) {
    this.#exchange = exchange;
  }

  static with(options: GatewayModuleOptions): DynamicModule {
    const { context, adminToken, operations, imports, controllers } = options;
    const observers = { log: options.log, meter: requestMeter(options.metrics) };
    return {
      module: GatewayModule,
      imports,
      controllers,
      providers: [
        { provide: OWN_OPERATIONS, useValue: { operations } },
        { provide: CONTEXT, useValue: context },
        { provide: ADMIN_TOKEN, useValue: adminToken },
        Json13Controller,
        ApiV2Controller,
        AdminController,
        LinksController,
        DocsController,
        {
          provide: Exchange,
          inject: [
            HttpAdapterHost,
            Json13Controller,
            ApiV2Controller,
            AdminController,
            LinksController,
            DocsController,
          ],
          useFactory: (host: HttpAdapterHost, ...of: OwnControllers) =>
            new Exchange(routesOf(...of), servedByNest(host), observers),
        },
      ],
    };
  }

  onModuleDestroy(): void {
    this.#exchange.close();
  }
}
