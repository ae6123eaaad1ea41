import type { Server } from 'node:http';
import { type DynamicModule, Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import type { Operations } from '@tidings/rpc';
import type { Logger } from '@tidings/runtime';
import { readIn } from '@tidings/telemetry';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { Administrators } from './auth/administrators.ts';
import type { Context } from './context.ts';
import { DeviceListener } from './api/device-listener.ts';
import { MethodHandlers } from './api/method-handlers.ts';
import { AdminController, ApiV2Controller, AudienceController, Json13Controller } from './api/methods.controllers.ts';
import { type Connections, connectionsOf } from './http/draining.ts';
import { LargeBodies } from './http/large-bodies.ts';
import { LinksController } from './api/links.controller.ts';
import { requestMeter } from './http/meter.ts';
import { RequestRunner } from './http/request-runner.ts';
import { ServedRoutes } from './http/served-routes.ts';
import { EventHistoryController } from './api/event-history.controller.ts';
import { TapController } from './api/tap.controller.ts';
import { UnservedFilter } from './http/unserved.filter.ts';
import { PendingRequests } from './limits/pending-requests.ts';
import { MailController } from './mail/mail.controller.ts';
import { DocsController } from './openapi/docs.controller.ts';
import { TwilioController } from './reports/twilio.controller.ts';
import { WhatsAppController } from './reports/whatsapp.controller.ts';
import { SafariController } from './devices/safari.controller.ts';
import {
  CONTEXT,
  type Draining,
  DRAINING,
  INCOMING_MAIL,
  type IncomingMail,
  OWN_OPERATIONS,
} from './injection-tokens.ts';
import type { MailListener } from './mail/mail-listener.ts';

const PENDING = { requests: 20_000, bytes: 64 * 1024 * 1024 };
/** At least the limit of a bulk request. */
const LARGE = { bytes: 256 * 1024 * 1024, parsedBytes: 64 * 1024 * 1024 };

export interface GatewayModuleOptions {
  readonly context: Context;
  readonly adminToken: string;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly operations: Operations;
  readonly mail: MailListener | undefined;
  readonly drainMs: number;
  readonly imports: NonNullable<DynamicModule['imports']>;
  readonly controllers: NonNullable<DynamicModule['controllers']>;
}

const CONTROLLERS = [
  Json13Controller,
  ApiV2Controller,
  AudienceController,
  AdminController,
  LinksController,
  DocsController,
  TapController,
  EventHistoryController,
  MailController,
  SafariController,
  WhatsAppController,
  TwilioController,
];
@Module({})
export class GatewayModule implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #devices: DeviceListener;
  readonly #routes: ServedRoutes;
  readonly #mail: MailListener | undefined;
  readonly #host: HttpAdapterHost;
  readonly #drainMs: number;
  #connections: Connections | undefined;

  constructor(
    @Inject(DeviceListener) devices: DeviceListener,
    @Inject(ServedRoutes) routes: ServedRoutes,
    @Inject(INCOMING_MAIL) { listener }: IncomingMail,
    @Inject(HttpAdapterHost) host: HttpAdapterHost,
    @Inject(DRAINING) { drainMs }: Draining,
  ) {
    this.#devices = devices;
    this.#routes = routes;
    this.#mail = listener;
    this.#host = host;
    this.#drainMs = drainMs;
    routes.install(host.httpAdapter.getInstance<FastifyInstance>());
  }

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
    const runner = new RequestRunner({ log: options.log, meter: requestMeter(options.metrics), requests });
    return {
      module: GatewayModule,
      imports,
      controllers: [...CONTROLLERS, ...controllers],
      providers: [
        { provide: OWN_OPERATIONS, useValue: { operations } },
        { provide: CONTEXT, useValue: context },
        { provide: DRAINING, useValue: { drainMs: options.drainMs } satisfies Draining },
        { provide: INCOMING_MAIL, useValue: { listener: options.mail } satisfies IncomingMail },
        { provide: Administrators, useValue: new Administrators(adminToken, context.clock) },
        { provide: LargeBodies, useValue: new LargeBodies(requests, LARGE) },
        { provide: RequestRunner, useValue: runner },
        { provide: ServedRoutes, useValue: new ServedRoutes(runner) },
        MethodHandlers,
        DeviceListener,
        { provide: APP_FILTER, useClass: UnservedFilter },
      ],
    };
  }

  async onModuleDestroy(): Promise<void> {
    this.#devices.close();
    this.#routes.close();
    await Promise.all([this.#mail?.close(), this.#connections?.drain(this.#drainMs)]);
  }
}
