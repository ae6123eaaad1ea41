import {
  type Accounts,
  AccountsDefinition,
  type Attempts,
  AttemptsDefinition,
  type DeadLetters,
  DeadLettersDefinition,
  type Devices,
  DevicesDefinition,
  type Geozones,
  GeozonesDefinition,
  type Inbox,
  InboxDefinition,
  type Jobs,
  JobsDefinition,
  type Messages,
  MessagesDefinition,
  type Operations,
  OperationsDefinition,
  type Plans,
  PlansDefinition,
  type Presets,
  PresetsDefinition,
  type Providers,
  ProvidersDefinition,
  type Segments,
  SegmentsDefinition,
  type Statistics,
  StatisticsDefinition,
  type Subscriptions,
  SubscriptionsDefinition,
} from '@tidings/rpc';
import { everyReplica, remote, type Replicas, rpcControllers } from '@tidings/rpc/grpc';
import {
  connectionBudget,
  healthModule,
  type IdentityKeys,
  type ServiceName,
  services,
  wrongPlace,
} from '@tidings/runtime';
import { rpcServer, type Running, type ServiceProcess } from '@tidings/service';
import { createGateway, incomingMailOf } from './create-gateway.ts';
import { isRepeatable, logOfCommand } from './devices/routing.ts';
import { openGeoip } from './geoip/geoip.ts';
import { processesOf } from './gateway-processes.ts';
import { DRAIN_MS } from './http/draining.ts';
import { openStorageGuard } from './limits/storage-guard.ts';
import { OWN_OPERATIONS } from './injection-tokens.ts';

/** Time limit of a dispatcher's reply about its providers. */
const DISPATCHER_MS = 5_000;
/** Time limit of redriving, which publishes hundreds of records. */
const REDRIVE_MS = 30_000;
/** Time limit of counting a segment. */
const COUNT_MS = 60_000;

/** Time limit of the reply about the room of MongoDB, which is asked for every two seconds. */
const STORAGE_MS = 1_500;

type GatewayProcess = ServiceProcess<'TIDINGS_ADMIN_TOKEN', ServiceName>;

/** Devices and their commands: the commands of one log go to one registry replica. */
function devicesOf(registry: Replicas, identity: () => IdentityKeys) {
  const logOf = logOfCommand(() => identity().device);
  const devices = remote<Devices>(DevicesDefinition, registry, {
    // The commands are grouped by replica, so the first one determines the key.
    keyOf: { apply: ({ commands: [first] }) => first && logOf(first) },
    isRepeatable: { apply: ({ commands }) => commands.every(isRepeatable) },
  });
  return { devices, replicaOf: (command: Parameters<typeof logOf>[0]) => registry.ownerOf(() => logOf(command)) };
}

async function storageBehind(registry: Replicas, { configuration, log, metrics, readiness }: GatewayProcess) {
  const operations = remote<Operations>(OperationsDefinition, registry, { deadlineMs: STORAGE_MS });
  const storage = await openStorageGuard({ operations, minFreeBytes: configuration.minFreeBytes, log, metrics });
  readiness.note('disk', () => storage.note());
  return storage;
}

/** The gateway as a separate process: the HTTP API on `PORT`, and calls from other gateways on `GRPC_PORT`. */
export async function startGateway(process: GatewayProcess): Promise<Running> {
  const { clock, log, readiness, metrics } = process;
  const { maxConnections, warning } = connectionBudget();
  if (warning) log.warn(warning);
  const { host, port, adminToken } = process.configuration;
  const replicas = await Promise.all(
    services.gateway.peers.map(async (peer) => [peer, await process.peer(peer)] as const),
  );
  const {
    registry,
    scheduler,
    statistics,
    webhooks,
    dispatcher,
    'audience-jobs': audienceJobs,
  } = Object.fromEntries(replicas) as Record<ServiceName, Replicas>;
  readiness.probe('registry', () => registry.reachable());
  const accounts = remote<Accounts>(AccountsDefinition, registry);
  const identity = process.identityFrom('registry', () => accounts.getMasterKeyId({}));
  const broker = await process.broker();
  const file = process.configuration.geoipDatabase;
  const geoip = file === undefined ? undefined : await openGeoip({ file, log, metrics });
  const storage = await storageBehind(registry, process);
  const app = await createGateway({
    storage,
    accounts,
    ...devicesOf(registry, () => identity.keys()),
    presets: remote<Presets>(PresetsDefinition, registry),
    segments: remote<Segments>(SegmentsDefinition, registry, { deadlineMs: COUNT_MS }),
    geozones: remote<Geozones>(GeozonesDefinition, registry),
    inbox: remote<Inbox>(InboxDefinition, registry),
    jobs: remote<Jobs>(JobsDefinition, audienceJobs),
    messages: remote<Messages>(MessagesDefinition, scheduler, {
      // A used transactionId resolves to the message that it created.
      isRepeatable: { accept: ({ messages }) => messages.every(({ transactionId }) => transactionId !== '') },
      // Of concurrent repeats, the process that serves the first answers all.
      keyOf: { accept: ({ messages }) => messages.find(({ transactionId }) => transactionId !== '')?.transactionId },
    }),
    statistics: remote<Statistics>(StatisticsDefinition, statistics),
    deadLetters: remote<DeadLetters>(DeadLettersDefinition, statistics, { deadlineMs: REDRIVE_MS }),
    plans: remote<Plans>(PlansDefinition, registry),
    attempts: remote<Attempts>(AttemptsDefinition, dispatcher),
    subscriptions: remote<Subscriptions>(SubscriptionsDefinition, webhooks),
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
    controllers: rpcControllers<{ operations: Operations }>(OWN_OPERATIONS, { operations: OperationsDefinition }),
  });
  const strategy = rpcServer(process, [OperationsDefinition]);
  app.connectMicroservice({ strategy });
  await app
    .startAllMicroservices()
    .catch(wrongPlace({ variable: 'GRPC_PORT', port: process.configuration.grpcPort, host }));
  await identity.learnt;
  await app.listen(port, host).catch(wrongPlace({ variable: 'PORT', port, host }));
  return {
    addresses: { http: await app.getUrl(), grpc: strategy.address },
    async close() {
      await app.close();
      await Promise.all([storage.stop(), geoip?.stop()]);
    },
  };
}
