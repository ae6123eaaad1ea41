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
  /** Processes of every service behind the gateway and of other gateways, in the order in which work flows: for the barrier and the test clock. */
  readonly processes: readonly Processes[];
  /** Every dispatcher process at the moment of the call. */
  readonly dispatchers: Context['dispatchers'];
  /** Names the registry replica that handles a device command. @default one for all */
  readonly replicaOf?: (command: DeviceCommand) => string;
  /** @default nothing is refused for want of room */
  readonly storage?: Pick<StorageGuard, 'admit'> | undefined;
  /** Receives the reports of devices. */
  readonly broker: Pick<Broker, 'addTopic' | 'publish' | 'subscribe'>;
  /** A ShiftedClock in tests only: `POST /admin/v1/clock` sets it, together with the clock of every service. */
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly masterKeys: MasterKeys;
  /** May throw a Fault `unavailable` until the keys are known. */
  readonly identity: () => IdentityKeys;
  readonly adminToken: string;
  /** Public URL of the service's own links, without a trailing slash. */
  readonly publicUrl: string;
  /** Private ranges in which web push endpoints are allowed, as CIDR. @default none */
  readonly allowPrivate?: readonly string[];
  /** Ranges of proxies whose `X-Forwarded-For` is believed, as CIDR. @default none */
  readonly trustedProxies?: readonly string[];
  /** The places of clients by their addresses. @default unknown */
  readonly geoip?: Pick<Geoip, 'find'> | undefined;
  /** The server of incoming mail. @default none */
  readonly incomingMail?: MailListenerOptions | undefined;
  /** Domains of disposable e-mail addresses (R-E4). */
  readonly disposableDomains: ReadonlySet<string>;
  /** Maximum number of open connections, of which a client may have half: further ones are closed on arrival. @default 10000 */
  readonly maxConnections?: number;
  /** How long idle connections stay open while the gateway closes, in milliseconds. @default 0 */
  readonly drainMs?: number;
  /** Further Nest modules on the same port, such as health. */
  readonly imports?: NonNullable<DynamicModule['imports']>;
  /** Further controllers, which may inject OWN_OPERATIONS. */
  readonly controllers?: NonNullable<DynamicModule['controllers']>;
}

/** Limit on new test devices per application and address: a burst, then one a second, which is more than one person registers. */
const TEST_DEVICES = { burst: 120, perMinute: 60 };
/** Limit on different users of inboxes per application and address: many people may share the address of a proxy, for a while. */
const INBOX_USERS = { users: 60 };
/** Limit on requests of Safari per application and address: visitors may share the address of a proxy. */
const WEBSITES = { burst: 300, perMinute: 600 };
/** Limit on requests by the links of one mail contact: image proxies share an address, so an address cannot be limited. */
const RECIPIENTS = { burst: 60, perMinute: 60, remembered: 50_000 };
/** Default of {@link GatewayDeps.maxConnections}. */
const MAX_CONNECTIONS = 10_000;
/** A connection without traffic in either direction for this long is closed. */
const IDLE_MS = 120_000;

/** Longer than a request line may be. */
const MAX_SEGMENT = 64 * 1024;

const connections = {
  /** Time limit for the head of a request, and for the first request on a connection to begin. */
  headersTimeout: 20_000,
  /** Time limit for a whole request; small bodies have less. */
  requestTimeout: UPLOAD_MS,
  /** Interval of checking both limits: a byte now and then does not extend them. */
  connectionsCheckingInterval: 2_000,
  /** Longer than the idle timeout of load balancers, so that they close first. */
  keepAliveTimeout: 72_000,
};

const unreadable: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Answers unparseable input with 4xx and closes the connection. */
function refuseUnreadable({ code }: { readonly code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = unreadable[code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}

/** An HTTP server with a bounded number of connections, also of each client, which closes idle ones. */
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

/** The server of incoming mail that the configuration asks for, if it does. */
export const incomingMailOf = ({
  smtpListenPort: port,
  mailBounceDomain: domain,
  host,
}: Configuration): MailListenerOptions | undefined =>
  port === undefined || domain === undefined ? undefined : { port, domain, host };

/** The port of the server of incoming mail, once the gateway listens; undefined without one. */
export const mailPortOf = (app: NestFastifyApplication): number | undefined =>
  app.get<IncomingMail>(INCOMING_MAIL, { strict: false }).listener?.port;

/** The server of incoming mail, and what it hands mails to. */
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

/** The module of the gateway, with its own components in front of the given services. */
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

/** The server of the gateway. It serves the methods of devices once `serve` is called with their listener. */
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
        // Bodies are JSON whatever their type (R-ER1); fastify refuses types that it cannot parse.
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

/** Options of the Nest application: guards and pipes read bodies. */
export const gatewayOptions = (log: Logger) => ({ logger: nestLogger(log), bodyParser: false, abortOnError: false });

/** The gateway, ready to listen. It owns none of its dependencies: closing it finishes the requests in flight and leaves the given services open. */
export async function createGateway(deps: GatewayDeps): Promise<NestFastifyApplication> {
  const { adapter, serve } = gatewayServer(deps);
  const options = gatewayOptions(deps.log);
  const app = await NestFactory.create<NestFastifyApplication>(gatewayModule(deps), adapter, options);
  serve(app);
  return app;
}
