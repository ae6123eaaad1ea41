import 'reflect-metadata';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { DynamicModule, INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { visitorKeyOf } from '@tidings/channels';
import { UPLOAD_MS } from '@tidings/contract';
import type { Clock } from '@tidings/kernel';
import type { DeviceCommand } from '@tidings/rpc';
import {
  AddressGuard,
  type Configuration,
  type Logger,
  type MasterKeys,
  nestLogger,
  operationsOf,
  type IdentityKeys,
  withoutSchemas,
} from '@tidings/runtime';
import type { Broker } from '@tidings/streaming';
import { counterIn, floodedConnections } from '@tidings/telemetry';
import type { Registry } from 'prom-client';
import type { Context, GatewayServices } from './context.ts';
import { Access } from './auth/access.ts';
import { mailLinkReader } from './mail/mail-links.ts';
import { CallerLimits } from './auth/caller-limits.ts';
import { keyFromReports } from './auth/derived-keys.ts';
import { RateLimits } from './auth/rate-limits.ts';
import { UserLimits } from './auth/user-limits.ts';
import { connectionShares } from './limits/connection-shares.ts';
import { serveConnections } from './limits/http-connections.ts';
import { deviceCommands } from './devices/device-commands.ts';
import { openReporter } from './reports/reporter.ts';
import { exportLinks, linkKeysFrom } from './exports/links.ts';
import { twilioSecrets, whatsAppSecrets } from './reports/receipt-secrets.ts';
import { openMailIntake } from './mail/mail-intake.ts';
import { MailListener, type MailListenerOptions } from './mail/mail-listener.ts';
import { GatewayModule } from './gateway.module.ts';
import { INCOMING_MAIL, type IncomingMail } from './injection-tokens.ts';
import type { Geoip } from './devices/geoip.ts';
import { ClientAddresses } from './http/client-address.ts';
import { DeviceListener } from './api/device-listener.ts';
import { unknownPath } from './http/families.ts';
import { JSON_TYPE, lineOf } from './http/replies.ts';
import { ServedRoutes } from './http/served-routes.ts';
import { ANY_TYPE, parametersOf, pathOf, routedTarget } from './http/target.ts';
import type { StorageGuard } from './limits/storage-guard.ts';
import { type Processes, systemOf } from './system/system.ts';

export interface GatewayDeps {
  readonly services: GatewayServices;
  /** In the order in which work flows: for the barrier and the test clock. */
  readonly processes: readonly Processes[];
  readonly dispatchers: Context['dispatchers'];
  readonly replicaOf?: (command: DeviceCommand) => string;
  readonly storage?: Pick<StorageGuard, 'admit'> | undefined;
  readonly broker: Pick<Broker, 'addTopic' | 'publish' | 'subscribe'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly masterKeys: MasterKeys;
  readonly identity: () => IdentityKeys;
  readonly adminToken: string;
  readonly publicUrl: string;
  /** Ranges (CIDR) in which web push endpoints are allowed. @default none */
  readonly allowPrivate?: readonly string[];
  /** Ranges (CIDR) whose `X-Forwarded-For` is believed. @default none */
  readonly trustedProxies?: readonly string[];
  readonly geoip?: Pick<Geoip, 'find'> | undefined;
  readonly incomingMail?: MailListenerOptions | undefined;
  readonly disposableDomains: ReadonlySet<string>;
  /** A client may have half of them. @default 10000 */
  readonly maxConnections?: number;
  /** Idle connections stay open for so long while closing. @default 0 */
  readonly drainMs?: number;
  readonly imports?: NonNullable<DynamicModule['imports']>;
  readonly controllers?: NonNullable<DynamicModule['controllers']>;
}

const TEST_DEVICES = { burst: 120, perMinute: 60 };
const INBOX_USERS = { users: 60 };
const WEBSITES = { burst: 300, perMinute: 600 };
/** Per mail contact: image proxies share an address. */
const RECIPIENTS = { burst: 60, perMinute: 60, remembered: 50_000 };
const MAX_CONNECTIONS = 10_000;
const IDLE_MS = 120_000;

/** Longer than a request line may be. */
const MAX_SEGMENT = 64 * 1024;

const connections = {
  headersTimeout: 20_000,
  requestTimeout: UPLOAD_MS,
  connectionsCheckingInterval: 2_000,
  /** Longer than load balancers keep idle connections, so that they close first. */
  keepAliveTimeout: 72_000,
};

const unreadable: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

function refuseUnreadable({ code }: { readonly code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = unreadable[code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}

function boundedServer(
  { metrics, log, trustedProxies, maxConnections = MAX_CONNECTIONS }: GatewayDeps,
  listener: RequestListener,
): Server {
  const dropped = counterIn(metrics, {
    name: 'tidings_http_dropped_connections_total',
    help: 'Connections refused because the maximum number was open, or half of it by one client',
  });
  const server = createServer(connections);
  server.maxConnections = maxConnections;
  server.timeout = IDLE_MS;
  server.on('drop', () => dropped.inc());
  const clients = new ClientAddresses(trustedProxies ?? []);
  const isProxy = (address: string): boolean => clients.isProxy(address);
  const shares = connectionShares({ connections: maxConnections, protocol: 'HTTP', isProxy, log });
  const flooded = floodedConnections(metrics, 'http');
  serveConnections(server, listener, { shares, refused: () => dropped.inc(), flooded });
  return server;
}

export const incomingMailOf = ({
  smtpListenPort: port,
  mailBounceDomain: domain,
  host,
}: Configuration): MailListenerOptions | undefined =>
  port === undefined || domain === undefined ? undefined : { port, domain, host };

export const mailPortOf = (app: NestFastifyApplication): number | undefined =>
  app.get<IncomingMail>(INCOMING_MAIL, { strict: false }).listener?.port;

function incomingMail(options: MailListenerOptions, deps: GatewayDeps, access: Access, clients: ClientAddresses) {
  const { services, broker, identity, clock, log, metrics } = deps;
  const recipientLimits = new CallerLimits(clock, RECIPIENTS);
  const intake = openMailIntake({
    domain: options.domain,
    access,
    messages: services.messages,
    broker,
    identity,
    clock,
    recipientLimits,
  });
  return { intake, listener: new MailListener(options, { intake, log, metrics, clients }) };
}

export function gatewayModule(deps: GatewayDeps): DynamicModule {
  const { services, broker, clock, log, adminToken } = deps;
  const { devices, messages, platforms } = services;
  const commands = deviceCommands(devices, deps.replicaOf);
  const reporter = openReporter({ broker, devices, messages, clock, identity: deps.identity });
  const access = new Access(services, clock);
  const clients = new ClientAddresses(deps.trustedProxies ?? []);
  const mail = deps.incomingMail && incomingMail(deps.incomingMail, deps, access, clients);
  const operations = operationsOf(deps, async () => [
    ...(commands.open() > 0 ? [`gateway: ${commands.open()} device commands`] : []),
    ...(reporter.open() > 0 ? [`gateway: ${reporter.open()} reports`] : []),
    ...(mail && mail.intake.open() > 0 ? [`gateway: ${mail.intake.open()} incoming mails`] : []),
  ]);
  const context = {
    ...services,
    deviceCommands: commands,
    reporter,
    access,
    visitorKey: keyFromReports(deps.identity, visitorKeyOf),
    mailLinks: mailLinkReader({ identity: deps.identity, access, clock }),
    rateLimits: new RateLimits(services.tokens, clock),
    testDeviceLimits: new CallerLimits(clock, TEST_DEVICES),
    inboxLimits: new UserLimits(clock, INBOX_USERS),
    websiteLimits: new CallerLimits(clock, WEBSITES),
    recipientLimits: new CallerLimits(clock, RECIPIENTS),
    log,
    system: systemOf([() => [operations], ...deps.processes], clock),
    dispatchers: deps.dispatchers,
    storage: deps.storage,
    broker,
    clock,
    exportLinks: exportLinks({ keys: linkKeysFrom(deps.masterKeys), clock, publicUrl: deps.publicUrl }),
    whatsAppSecrets: whatsAppSecrets({ platforms, masterKeys: deps.masterKeys }),
    twilioSecrets: twilioSecrets({ platforms, masterKeys: deps.masterKeys }),
    publicUrl: deps.publicUrl,
    addressGuard: new AddressGuard(deps.allowPrivate ?? []),
    clients,
    locate: (address: string) => (clients.isProxy(address) ? undefined : deps.geoip?.find(address)),
    disposableDomains: deps.disposableDomains,
  };
  return GatewayModule.with({
    context,
    adminToken,
    log,
    metrics: deps.metrics,
    operations,
    mail: mail?.listener,
    drainMs: deps.drainMs ?? 0,
    imports: deps.imports ?? [],
    controllers: deps.controllers ?? [],
  });
}

export function gatewayServer(deps: GatewayDeps): { adapter: FastifyAdapter; serve: (app: INestApplication) => void } {
  const listener: { devices?: DeviceListener; routes?: ServedRoutes } = {};
  const adapter = new FastifyAdapter({
    ...withoutSchemas,
    skipMiddie: true,
    return503OnClosing: false,
    clientErrorHandler: refuseUnreadable,
    rewriteUrl: ({ url = '/' }) => routedTarget(url),
    frameworkErrors: (_error: Error, { raw }: FastifyRequest, response: FastifyReply) => {
      const reply = unknownPath(pathOf(raw.url ?? '/'));
      void response.code(reply.status).header('content-type', JSON_TYPE).send(lineOf(reply));
    },
    routerOptions: { maxParamLength: MAX_SEGMENT, querystringParser: parametersOf },
    serverFactory: (fastify: RequestListener) =>
      boundedServer(deps, (request, response) => {
        if (listener.devices?.handle(request, response)) return;
        // Fastify refuses unknown types, but bodies are JSON whatever their type (R-ER1).
        const isNeighbour = listener.routes?.isNeighbour(request.method ?? '', pathOf(request.url ?? ''));
        if (!isNeighbour) request.headers['content-type'] = ANY_TYPE;
        fastify(request, response);
      }),
  });
  return {
    adapter,
    serve: (app) => Object.assign(listener, { devices: app.get(DeviceListener), routes: app.get(ServedRoutes) }),
  };
}

export const gatewayOptions = (log: Logger) => ({ logger: nestLogger(log), bodyParser: false, abortOnError: false });

export async function createGateway(deps: GatewayDeps): Promise<NestFastifyApplication> {
  const { adapter, serve } = gatewayServer(deps);
  const options = gatewayOptions(deps.log);
  const app = await NestFactory.create<NestFastifyApplication>(gatewayModule(deps), adapter, options);
  serve(app);
  return app;
}
