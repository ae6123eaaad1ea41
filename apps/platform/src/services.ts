import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { openAudienceJobs } from '@tidings/audience-jobs';
import { channelNames } from '@tidings/channels';
import type { ExclusiveData } from '@tidings/coordination';
import { openDispatcher } from '@tidings/dispatcher';
import { openFanout } from '@tidings/fanout';
import { createGateway, incomingMailOf, openGeoip, openStorageGuard } from '@tidings/gateway';
import type { Clock } from '@tidings/kernel';
import { openRegistry } from '@tidings/registry';
import {
  inProcess,
  inProcessServices,
  type Operations,
  OperationsDefinition,
  type Served,
  type ServicesOf,
} from '@tidings/rpc';
import {
  type BackendName,
  backendNames,
  type Closing,
  type Configuration,
  deploymentPlatformsOf,
  type DeploymentKeys,
  healthModule,
  type Logger,
  type Readiness,
  type ServiceDatabase,
  type ServiceDeps,
  services,
} from '@tidings/runtime';
import { openScheduler } from '@tidings/scheduler';
import { openStatistics } from '@tidings/statistics';
import type { Broker } from '@tidings/streaming';
import { openWebhooks } from '@tidings/webhooks';
import type { Db } from 'mongodb';
import type { Registry } from 'prom-client';

export { mailPortOf } from '@tidings/gateway';

export interface ServicesDeps {
  readonly configuration: Configuration;
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly keys: DeploymentKeys;
  readonly adminToken: string;
  readonly databaseFor: (name: ServiceDatabase) => Db;
  readonly broker: Broker;
  readonly exclusive: ExclusiveData;
  readonly readiness: Readiness;
  readonly maxConnections: number;
  readonly modules: readonly DynamicModule[];
  readonly closing: Closing;
}

interface Opened<Name extends BackendName> {
  readonly services: ServicesOf<Name>;
  readonly operations: Operations;
}

/** Each service opens after its dependencies; closing runs in reverse. */
export async function openServices(deps: ServicesDeps): Promise<NestFastifyApplication> {
  const { configuration, publicUrl, clock, log, metrics, keys, adminToken, broker, readiness, closing } = deps;
  const open = async <Name extends BackendName>(
    backend: Name,
    opening: (service: ServiceDeps & { readonly broker: Broker }) => Promise<Served<Name> & { close(): Promise<void> }>,
  ): Promise<Opened<Name>> => {
    const done = readiness.waitFor(backend);
    const started = performance.now();
    const service = await opening({
      clock,
      log: log.child({ service: backend }),
      metrics,
      db: deps.databaseFor(services[backend].database),
      keys,
      broker,
      exclusive: deps.exclusive,
    });
    closing.add(backend, service, (each) => each.close());
    done();
    log.debug({ service: backend, ms: Math.round(performance.now() - started) }, 'opened');
    return {
      services: inProcessServices(backend, service),
      operations: inProcess(OperationsDefinition, service.operations),
    };
  };

  const { quotas, http2, webPushSubject, mailBounceDomain } = configuration;
  const registry = await open('registry', (service) => openRegistry({ ...service, quotas }));
  const statistics = await open('statistics', openStatistics);
  const { applications, devices, platforms, segments, tags, tokens } = registry.services;
  const scheduler = await open('scheduler', (service) =>
    openScheduler({ ...service, registry: registry.services, publicUrl }),
  );
  const { extraCa, proxy, allowPrivate } = configuration;
  const addresses = { extraCa, proxy, allowPrivate };
  const dispatcher = await open('dispatcher', (service) =>
    openDispatcher({
      ...service,
      ...addresses,
      channels: channelNames(),
      platforms,
      devices,
      http2,
      publicUrl,
      webPushSubject,
      mailBounceDomain,
      urls: configuration.providers,
    }),
  );
  const fanout = await open('fanout', (service) =>
    openFanout({ ...service, deploymentPlatforms: deploymentPlatformsOf(configuration.providers) }),
  );
  const { host, eventsPort } = configuration;
  const webhooks = await open('webhooks', (service) =>
    openWebhooks({
      ...service,
      ...addresses,
      devices,
      tokens,
      applications,
      sentValues: dispatcher.services.sentValues,
      events: { host, port: eventsPort },
    }),
  );
  const audienceJobs = await open('audience-jobs', (service) =>
    openAudienceJobs({ ...service, tags, devices, segments }),
  );
  const opened: { readonly [Name in BackendName]: Opened<Name> } = {
    registry,
    statistics,
    scheduler,
    dispatcher,
    fanout,
    webhooks,
    'audience-jobs': audienceJobs,
  };

  const { geoipDatabase: file } = configuration;
  const geoip = file === undefined ? undefined : await openGeoip({ file, log, metrics });
  if (geoip) closing.add('geo-IP database', geoip, (opened) => opened.stop());
  const storage = await openStorageGuard({
    operations: registry.operations,
    minFreeBytes: configuration.minFreeBytes,
    log,
    metrics,
  });
  closing.add('room of MongoDB', storage, (opened) => opened.stop());
  readiness.note('disk', () => storage.note());
  const gateway = await createGateway({
    storage,
    services: {
      ...registry.services,
      ...scheduler.services,
      ...statistics.services,
      ...dispatcher.services,
      ...webhooks.services,
      ...audienceJobs.services,
    },
    dispatchers: () => [dispatcher.services.providers],
    processes: backendNames.map((name) => () => [opened[name].operations]),
    broker,
    clock,
    log: log.child({ service: 'gateway' }),
    metrics,
    masterKeys: keys.master,
    identity: () => keys.identity,
    adminToken,
    publicUrl,
    maxConnections: deps.maxConnections,
    allowPrivate,
    trustedProxies: configuration.trustedProxies,
    geoip,
    disposableDomains: configuration.disposableDomains,
    incomingMail: incomingMailOf(configuration),
    // Also with a health port, for clients that know only one address.
    imports: [healthModule(readiness, metrics), ...deps.modules],
  });
  return closing.add('gateway', gateway, (opened) => opened.close());
}
