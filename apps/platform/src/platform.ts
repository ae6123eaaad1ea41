import { join } from 'node:path';
import type { DynamicModule } from '@nestjs/common';
import { channelNames } from '@tidings/channels';
import { topics } from '@tidings/events';
import { type Clock, Fault, ShiftedClock, systemClock } from '@tidings/kernel';
import { openMongo } from '@tidings/local-servers';
import { databaseOf, databasePrefixOf, tryReplicaSet } from '@tidings/mongo';
import {
  Closing,
  type Configuration,
  connectionBudget,
  freePort,
  type Logger,
  openDataFolder,
  openMasterKey,
  openMetrics,
  publicUrlOf,
  Readiness,
  serveHealth,
  startTracing,
  systemDatabase,
  checkListenable,
  withVariableName,
} from '@tidings/runtime';
import { type Broker, observed, openEmbeddedBroker } from '@tidings/streaming';
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
export async function openPlatform(configuration: Configuration, options: PlatformOptions): Promise<Platform> {
  const { log } = options;
  const closing = new Closing(log);
  try {
    const tracing = await startTracing(configuration.tracing, { service: 'tidings', log });
    closing.add('traces', tracing, (opened) => opened.close());
    return await open(configuration, options, closing);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function open(
  configuration: Configuration,
  { log, onLost, modules, databasePrefix = databasePrefixOf(configuration.mongoUrl) }: PlatformOptions,
  closing: Closing,
): Promise<Platform> {
  if (configuration.kafkaBrokers.length > 0) {
    throw Fault.argument('KAFKA_BROKERS: the embedded mode keeps its own log; leave it unset');
  }
  const { host, healthPort, smtpListenPort } = configuration;
  const { maxConnections, warning } = connectionBudget();
  if (warning) log.warn(warning);
  const readiness = new Readiness();
  const port =
    configuration.port === 0
      ? await freePort(host).catch(withVariableName({ variable: 'PORT', port: 0, host }))
      : configuration.port;
  const hasHealthPort = healthPort !== undefined && healthPort !== port;
  await checkListenable({ variable: 'PORT', port, host });
  const eventsPort = configuration.eventsPort === 0 ? await freePort(host) : configuration.eventsPort;
  await checkListenable({ variable: 'EVENTS_PORT', port: eventsPort, host });
  if (hasHealthPort) await checkListenable({ variable: 'HEALTH_PORT', port: healthPort, host });
  if (smtpListenPort !== undefined) await checkListenable({ variable: 'SMTP_LISTEN_PORT', port: smtpListenPort, host });
  // Before the services load: loading would use up the time limits of the server's replies.
  if (configuration.mongoUrl !== undefined) await tryReplicaSet(configuration.mongoUrl);
  const folder = await openDataFolder(configuration.dataFolder);
  const opening = closing.addOpening(
    'mongodb',
    openMongo(configuration.mongoUrl, join(folder, 'mongo'), log),
    (server) => server.close(),
  );
  if (configuration.mongoUrl !== undefined) await opening;
  const [mongo, { openServices, mailPortOf }, adminToken] = await Promise.all([
    opening,
    import('./services.ts'),
    adminTokenOf(folder, configuration.adminToken),
  ]);
  const { client } = mongo;
  const keys = await openMasterKey({
    folder,
    configured: configuration.masterKey,
    previous: configuration.previousMasterKey,
    system: systemDatabase(client, databasePrefix),
  });
  log.debug({ ms: Math.round(performance.now()) }, 'database open, services loaded');
  readiness.probe('mongodb', () => client.db('admin').command({ ping: 1 }));
  const clock = configuration.testClock ? new ShiftedClock(configuration.testClock.aheadMs) : systemClock;
  const broker = await openEmbeddedBroker({
    db: databaseOf(client, 'log', databasePrefix),
    clock,
    topics: topics(channelNames()),
    owner: 'platform',
    warn: (text, cause) => log.warn({ err: cause }, text),
    onLost: (fault) => {
      readiness.stop();
      onLost?.(fault);
    },
  });
  closing.add('log', broker, (opened) => opened.close());
  log.debug({ ms: Math.round(performance.now()) }, 'log open');
  const metrics = openMetrics({ readiness });
  if (hasHealthPort) {
    const health = await serveHealth({ readiness, metrics, host, port: healthPort }).catch(
      withVariableName({ variable: 'HEALTH_PORT', port: healthPort, host }),
    );
    closing.add('health', health, (opened) => opened.close());
  }
  const url = publicUrlOf({ host, port });
  const gateway = await openServices({
    configuration: { ...configuration, eventsPort },
    publicUrl: publicUrlOf({ ...configuration, port }),
    clock,
    log,
    metrics,
    keys,
    adminToken: adminToken.secret,
    databaseFor: (service) => databaseOf(client, service, databasePrefix),
    broker: observed(broker, metrics),
    readiness,
    maxConnections,
    modules: (await modules?.({ url, adminToken: adminToken.secret, clock })) ?? [],
    closing,
  });
  await gateway.listen(port, host).catch(withVariableName({ variable: 'PORT', port, host }));
  readiness.start();
  return {
    url,
    adminToken,
    mailPort: mailPortOf(gateway),
    eventsPort,
    broker,
    close() {
      readiness.stop();
      return closing.close();
    },
  };
}
