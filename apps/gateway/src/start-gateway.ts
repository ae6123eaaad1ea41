import {
  type DeviceCommand,
  type Operations,
  OperationsDefinition,
  type Providers,
  ProvidersDefinition,
} from '@tidings/rpc';
import { everyReplica, remote, remoteServices, type Replicas } from '@tidings/rpc/grpc';
import {
  type BackendName,
  connectionBudget,
  healthModule,
  type IdentityKeys,
  type ServiceName,
  services as serviceFacts,
  withVariableName,
} from '@tidings/runtime';
import type { Running, ServiceProcess } from '@tidings/service';
import { createGateway, incomingMailOf } from './create-gateway.ts';
import { isRepeatable, logOfCommand } from './devices/routing.ts';
import { openGeoip } from './devices/geoip.ts';
import { processesOf } from './system/processes.ts';
import { DRAIN_MS } from './http/draining.ts';
import { openStorageGuard } from './limits/storage-guard.ts';
import { OWN_OPERATIONS } from './injection-tokens.ts';

const DISPATCHER_MS = 5_000;
const REDRIVE_MS = 30_000;
const COUNT_MS = 60_000;

const STORAGE_MS = 1_500;

type GatewayProcess = ServiceProcess<'TIDINGS_ADMIN_TOKEN', ServiceName>;

function servicesBehind(replicas: Readonly<Record<BackendName, Replicas>>, identity: () => IdentityKeys) {
  const { registry, scheduler, statistics, dispatcher, webhooks } = replicas;
  const logOf = logOfCommand(() => identity().device);
  const ofRegistry = remoteServices('registry', registry, {
    devices: {
      // Commands are grouped by replica.
      keyOf: { apply: ({ commands: [first] }) => first && logOf(first) },
      isRepeatable: { apply: ({ commands }) => commands.every(isRepeatable) },
    },
    segments: { deadlineMs: COUNT_MS },
  });
  const ofScheduler = remoteServices('scheduler', scheduler, {
    messages: {
      // A used transactionId resolves to its message.
      isRepeatable: { accept: ({ messages }) => messages.every(({ transactionId }) => transactionId !== '') },
      // Concurrent repeats meet at one scheduler.
      keyOf: { accept: ({ messages }) => messages.find(({ transactionId }) => transactionId !== '')?.transactionId },
    },
  });
  return {
    replicaOf: (command: DeviceCommand) => registry.ownerOf(() => logOf(command)),
    services: {
      ...ofRegistry,
      ...ofScheduler,
      ...remoteServices('statistics', statistics, { deadLetters: { deadlineMs: REDRIVE_MS } }),
      ...remoteServices('dispatcher', dispatcher),
      ...remoteServices('webhooks', webhooks),
      ...remoteServices('audience-jobs', replicas['audience-jobs']),
    },
  };
}

async function storageBehind(registry: Replicas, { configuration, log, metrics, readiness }: GatewayProcess) {
  const operations = remote<Operations>(OperationsDefinition, registry, { deadlineMs: STORAGE_MS });
  const storage = await openStorageGuard({ operations, minFreeBytes: configuration.minFreeBytes, log, metrics });
  readiness.note('disk', () => storage.note());
  return storage;
}

export async function startGateway(process: GatewayProcess): Promise<Running> {
  const { clock, log, readiness, metrics } = process;
  const { maxConnections, warning } = connectionBudget();
  if (warning) log.warn(warning);
  const { host, port, adminToken } = process.configuration;
  const replicas = await Promise.all(
    serviceFacts.gateway.peers.map(async (peer) => [peer, await process.peer(peer)] as const),
  );
  const byName = Object.fromEntries(replicas) as Record<ServiceName, Replicas>;
  const { registry, dispatcher } = byName;
  readiness.probe('registry', () => registry.reachable());
  const { services, replicaOf } = servicesBehind(byName, () => identity.keys());
  const identity = process.identityFrom('registry', () => services.accounts.getMasterKeyId({}));
  const broker = await process.broker();
  const file = process.configuration.geoipDatabase;
  const geoip = file === undefined ? undefined : await openGeoip({ file, log, metrics });
  const storage = await storageBehind(registry, process);
  const app = await createGateway({
    storage,
    services,
    replicaOf,
    processes: replicas.map(([peer, found]) => processesOf(peer, found)),
    dispatchers: async () => {
      const every = await everyReplica<Providers>(ProvidersDefinition, dispatcher, { deadlineMs: DISPATCHER_MS });
      return every.map(({ service }) => service);
    },
    broker,
    clock,
    log,
    metrics,
    adminToken,
    publicUrl: process.publicUrl(),
    masterKeys: process.masterKeys,
    identity: () => identity.keys(),
    maxConnections,
    drainMs: DRAIN_MS,
    allowPrivate: process.configuration.allowPrivate,
    trustedProxies: process.configuration.trustedProxies,
    geoip,
    disposableDomains: process.configuration.disposableDomains,
    incomingMail: incomingMailOf(process.configuration),
    imports: [healthModule(readiness, metrics)],
  });
  const { operations } = app.get<{ readonly operations: Operations }>(OWN_OPERATIONS, { strict: false });
  process.resources.operations.set('gateway', operations);
  await identity.ready;
  await app.listen(port, host).catch(withVariableName({ variable: 'PORT', port, host }));
  return {
    addresses: { http: await app.getUrl() },
    async close() {
      await app.close();
      await Promise.all([storage.stop(), geoip?.stop()]);
    },
  };
}
