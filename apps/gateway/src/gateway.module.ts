import { type DynamicModule, Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { api, type Method } from '@tidings/contract';
import type { Operations } from '@tidings/rpc';
import type { Logger } from '@tidings/runtime';
import { readIn } from '@tidings/telemetry';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { Administrators } from './auth/administrators.ts';
import type { Context, Handler } from './context.ts';
import { AdminController } from './http/admin.controller.ts';
import { ApiV2Controller } from './http/api-v2.controller.ts';
import { DocsController } from './http/docs.controller.ts';
import { Exchange } from './http/exchange.ts';
import { Json13Controller } from './http/json13.controller.ts';
import { LargeBodies } from './http/large-bodies.ts';
import { LinksController } from './http/links.controller.ts';
import { requestMeter } from './http/meter.ts';
import { PendingRequests } from './http/pending-requests.ts';
import { type Route, RouteTable } from './http/route.ts';
import { handlers } from './methods/handlers.ts';
import { CONTEXT, OWN_OPERATIONS } from './tokens.ts';

/** Requests that are served at a time, and the bytes of their small bodies. */
const PENDING = { requests: 20_000, bytes: 64 * 1024 * 1024 };
/** Bytes of large bodies that are held at a time, and of those that are taken apart at a time: not less than a bulk request may have. */
const LARGE = { bytes: 256 * 1024 * 1024, taken: 64 * 1024 * 1024 };

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
    const requests = new PendingRequests(PENDING);
    const gauge = {
      name: 'tidings_http_pending_requests',
      help: 'Requests that are served, and those that were answered at their deadline while the work on them goes on',
    } as const;
    readIn(options.metrics, 'gauge', gauge, () => [{ value: requests.count }]);
    const deps = { log: options.log, meter: requestMeter(options.metrics), requests };
    return {
      module: GatewayModule,
      imports,
      controllers,
      providers: [
        { provide: OWN_OPERATIONS, useValue: { operations } },
        { provide: CONTEXT, useValue: context },
        { provide: Administrators, useValue: new Administrators(adminToken, context.clock) },
        { provide: LargeBodies, useValue: new LargeBodies(requests, LARGE) },
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
            new Exchange(routesOf(...of), servedByNest(host), deps),
        },
      ],
    };
  }

  onModuleDestroy(): void {
    this.#exchange.close();
  }
}
