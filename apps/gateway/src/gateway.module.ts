import type { Server } from 'node:http';
import { type DynamicModule, Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { api, type Method } from '@tidings/contract';
import type { Operations } from '@tidings/rpc';
import type { Logger } from '@tidings/runtime';
import { readIn } from '@tidings/telemetry';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { Administrators } from './auth/administrators.ts';
import type { Context } from './context.ts';
import { AdminRoutes } from './http/admin.routes.ts';
import { ApiV2Routes } from './http/api-v2.routes.ts';
import { type Connections, connectionsOf } from './http/draining.ts';
import { DocsRoutes } from './openapi/docs.routes.ts';
import { Exchange } from './http/http-exchange.ts';
import { Json13Routes } from './http/json13.routes.ts';
import { LargeBodies } from './http/large-bodies.ts';
import { LinksRoutes } from './http/links.routes.ts';
import { requestMeter } from './http/meter.ts';
import { PendingRequests } from './limits/pending-requests.ts';
import { type Route, RouteTable } from './http/route.ts';
import { MailRoutes } from './mail/mail.routes.ts';
import { SafariRoutes } from './devices/safari.routes.ts';
import { TapRoutes } from './http/tap.routes.ts';
import { TwilioRoutes } from './reports/twilio.routes.ts';
import { WhatsAppRoutes } from './reports/whatsapp.routes.ts';
import { guarded } from './limits/storage-guard.ts';
import { handlers } from './methods/handlers.ts';
import {
  CONTEXT,
  type Draining,
  DRAINING,
  INCOMING_MAIL,
  type IncomingMail,
  OWN_OPERATIONS,
} from './injection-tokens.ts';
import type { MailListener } from './mail/mail-listener.ts';

/** Bounds on the requests being served, and on the bytes of their small bodies. */
const PENDING = { requests: 20_000, bytes: 64 * 1024 * 1024 };
/** Bounds on the bytes of large bodies held, and of those being parsed: not less than the limit of a bulk request. */
const LARGE = { bytes: 256 * 1024 * 1024, taken: 64 * 1024 * 1024 };

export interface GatewayModuleOptions {
  readonly context: Context;
  readonly adminToken: string;
  readonly log: Logger;
  readonly metrics: Registry;
  /** The gateway's own operations, provided as OWN_OPERATIONS. */
  readonly operations: Operations;
  /** The server of incoming mail, provided as INCOMING_MAIL. */
  readonly mail: MailListener | undefined;
  /** How long idle connections stay open while it closes. */
  readonly drainMs: number;
  /** Further modules on the same port, such as health. */
  readonly imports: NonNullable<DynamicModule['imports']>;
  /** Further controllers. */
  readonly controllers: NonNullable<DynamicModule['controllers']>;
}

const OWN_ROUTES = [
  Json13Routes,
  ApiV2Routes,
  AdminRoutes,
  LinksRoutes,
  DocsRoutes,
  SafariRoutes,
  WhatsAppRoutes,
  TwilioRoutes,
  TapRoutes,
  MailRoutes,
] as const;
type Instances<Classes extends readonly (abstract new (...deps: never) => unknown)[]> = {
  -readonly [Index in keyof Classes]: InstanceType<Classes[Index]>;
};
type OwnRoutes = Instances<typeof OWN_ROUTES>;

function routesOf(...[json13, apiV2, admin, ...others]: OwnRoutes): RouteTable {
  const families = { json13, apiV2, audience: apiV2, notify: apiV2, admin };
  const methods: Route[] = Object.entries<Method>(api).map(([key, method]) => {
    const name = key as keyof typeof api;
    return families[method.family].route(method, guarded(name, method, handlers[name]));
  });
  return new RouteTable([...methods, ...others.flatMap((each) => each.routes())]);
}

/** Whether Nest serves a path on the same port, such as health. Routes are recorded while Nest adds them, so no path is read as a pattern. */
function servedByNest({ httpAdapter }: HttpAdapterHost): (verb: string, path: string) => boolean {
  const served = new Set<string>();
  httpAdapter.getInstance<FastifyInstance>().addHook('onRoute', ({ method, url }) => {
    for (const verb of [method].flat()) served.add(`${verb} ${url}`);
  });
  return (verb, path) => served.has(`${verb} ${path}`);
}

/** The HTTP API: routes per family, and the exchange in front of them; and the server of incoming mail, if there is one. */
@Module({})
export class GatewayModule implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #exchange: Exchange;
  readonly #mail: MailListener | undefined;
  readonly #host: HttpAdapterHost;
  readonly #drainMs: number;
  #connections: Connections | undefined;

  constructor(
    @Inject(Exchange) exchange: Exchange,
    @Inject(INCOMING_MAIL) { listener }: IncomingMail,
    @Inject(HttpAdapterHost) host: HttpAdapterHost,
    @Inject(DRAINING) { drainMs }: Draining,
  ) {
    this.#exchange = exchange;
    this.#mail = listener;
    this.#host = host;
    this.#drainMs = drainMs;
  }

  /** Mails are taken as soon as requests are. */
  async onApplicationBootstrap(): Promise<void> {
    this.#connections = connectionsOf(this.#host.httpAdapter.getHttpServer() as Server);
    await this.#mail?.listen();
  }

  static with(options: GatewayModuleOptions): DynamicModule {
    const { context, adminToken, operations, imports, controllers } = options;
    const requests = new PendingRequests(PENDING);
    const gauge = {
      name: 'tidings_http_pending_requests',
      help: 'Requests in progress, including those already answered at their deadline',
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
        { provide: DRAINING, useValue: { drainMs: options.drainMs } satisfies Draining },
        { provide: INCOMING_MAIL, useValue: { listener: options.mail } satisfies IncomingMail },
        { provide: Administrators, useValue: new Administrators(adminToken, context.clock) },
        { provide: LargeBodies, useValue: new LargeBodies(requests, LARGE) },
        ...OWN_ROUTES,
        {
          provide: Exchange,
          inject: [HttpAdapterHost, ...OWN_ROUTES],
          useFactory: (host: HttpAdapterHost, ...of: OwnRoutes) =>
            new Exchange(routesOf(...of), servedByNest(host), deps),
        },
      ],
    };
  }

  async onModuleDestroy(): Promise<void> {
    this.#exchange.close();
    await Promise.all([this.#mail?.close(), this.#connections?.drain(this.#drainMs)]);
  }
}
