import { join } from 'node:path';
import type { DynamicModule } from '@nestjs/common';
import { type Clock, Fault } from '@tidings/kernel';
import { openMongo } from '@tidings/local-servers';
import {
  checkListenable,
  type Closing,
  type Configuration,
  connectionBudget,
  freePort,
  type Logger,
  openDataFolder,
  openWith,
  startTracing,
  withVariableName,
} from '@tidings/runtime';
import type { Broker } from '@tidings/streaming';
import { type AdminToken, adminTokenOf } from './admin-token.ts';

export interface GatewayAccess {
  readonly url: string;
  readonly adminToken: string;
  readonly clock: Clock;
}

export interface PlatformOptions {
  readonly log: Logger;
  /** @default the path of MONGO_URL, else `tidings` */
  readonly databasePrefix?: string;
  /** The platform must then be closed: another process has taken over its data. */
  readonly onLost?: (fault: Fault) => void;
  /** Made before the gateway opens. @default none */
  readonly modules?: (access: GatewayAccess) => Promise<readonly DynamicModule[]>;
}

export interface Platform {
  readonly url: string;
  readonly adminToken: AdminToken;
  readonly mailPort: number | undefined;
  readonly eventsPort: number;
  readonly broker: Pick<Broker, 'subscribe' | 'lag'>;
  close(): Promise<void>;
}

/** @throws Fault that names the wrong setting in one sentence; `conflict` if another process runs on the same data */
export const openPlatform = (configuration: Configuration, options: PlatformOptions): Promise<Platform> =>
  openWith(options.log, async (closing) => {
    const tracing = await startTracing(configuration.tracing, { service: 'tidings', log: options.log });
    closing.add('traces', tracing, (opened) => opened.close());
    return open(configuration, options, closing);
  });

async function open(configuration: Configuration, options: PlatformOptions, closing: Closing): Promise<Platform> {
  if (configuration.kafkaBrokers.length > 0) {
    throw Fault.argument('KAFKA_BROKERS: the embedded mode keeps its own log; leave it unset');
  }
  if (configuration.services) {
    throw Fault.argument('TIDINGS_SERVICES: the embedded mode runs all services in one process; leave it unset');
  }
  const { log } = options;
  const { host, healthPort, smtpListenPort, mongoUrl, officialMongod } = configuration;
  const { maxConnections, warning } = connectionBudget();
  if (warning) log.warn(warning);
  const port =
    configuration.port === 0
      ? await freePort(host).catch(withVariableName({ variable: 'PORT', port: 0, host }))
      : configuration.port;
  await checkListenable({ variable: 'PORT', port, host });
  const eventsPort = configuration.eventsPort === 0 ? await freePort(host) : configuration.eventsPort;
  await checkListenable({ variable: 'EVENTS_PORT', port: eventsPort, host });
  if (healthPort !== undefined && healthPort !== port)
    await checkListenable({ variable: 'HEALTH_PORT', port: healthPort, host });
  if (smtpListenPort !== undefined) await checkListenable({ variable: 'SMTP_LISTEN_PORT', port: smtpListenPort, host });
  const folder = await openDataFolder(configuration.dataFolder);
  const spawned = Promise.withResolvers<void>();
  const opening = closing.addOpening(
    'mongodb',
    openMongo(mongoUrl, join(folder, 'mongo'), log, { onSpawn: spawned.resolve, official: officialMongod }),
    (server) => server.close(),
  );
  // Loading blocks this process: it begins once the server starts, or an address has answered.
  await Promise.race([spawned.promise, opening]);
  const [mongo, { openOn }, adminToken] = await Promise.all([
    opening,
    import('./open-on.ts'),
    adminTokenOf(folder, configuration.adminToken),
  ]);
  log.debug({ ms: Math.round(performance.now()) }, 'database open, services loaded');
  return openOn(mongo.client, {
    ...options,
    configuration: { ...configuration, port, eventsPort },
    folder,
    adminToken,
    maxConnections,
    closing,
  });
}
