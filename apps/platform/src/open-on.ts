import { channelNames } from '@tidings/channels';
import { topics } from '@tidings/events';
import { ShiftedClock, systemClock } from '@tidings/kernel';
import { databaseOf, databasePrefixOf } from '@tidings/mongo';
import {
  type Closing,
  type Configuration,
  openMasterKey,
  openMetrics,
  publicUrlOf,
  Readiness,
  serveHealth,
  systemDatabase,
  withVariableName,
} from '@tidings/runtime';
import { observed, openEmbeddedBroker } from '@tidings/streaming';
import type { MongoClient } from 'mongodb';
import type { AdminToken } from './admin-token.ts';
import type { Platform, PlatformOptions } from './platform.ts';
import { mailPortOf, openServices } from './services.ts';

interface OpenOptions extends PlatformOptions {
  readonly configuration: Configuration;
  readonly folder: string;
  readonly adminToken: AdminToken;
  readonly maxConnections: number;
  readonly closing: Closing;
}

export async function openOn(client: MongoClient, options: OpenOptions): Promise<Platform> {
  const { configuration, folder, adminToken, maxConnections, closing, log, onLost, modules } = options;
  const { databasePrefix = databasePrefixOf(configuration.mongoUrl) } = options;
  const { host, port, healthPort, eventsPort } = configuration;
  const readiness = new Readiness();
  const keys = await openMasterKey({
    folder,
    configured: configuration.masterKey,
    previous: configuration.previousMasterKey,
    system: systemDatabase(client, databasePrefix),
  });
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
  if (healthPort !== undefined && healthPort !== port) {
    const health = await serveHealth({ readiness, metrics, host, port: healthPort }).catch(
      withVariableName({ variable: 'HEALTH_PORT', port: healthPort, host }),
    );
    closing.add('health', health, (opened) => opened.close());
  }
  const url = publicUrlOf({ host, port });
  const gateway = await openServices({
    configuration,
    publicUrl: publicUrlOf(configuration),
    clock,
    log,
    metrics,
    keys,
    adminToken: adminToken.secret,
    databaseFor: (service) => databaseOf(client, service, databasePrefix),
    broker: observed(broker, metrics),
    exclusive: broker,
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
