import type { PlatformOptions } from '@tidings/platform';
import { Closing, readEnv } from '@tidings/runtime';
import type { SimulatorOptions } from '@tidings/simulators';
import type { TestClusterOptions } from './cluster-for-tests.ts';
import { cluster, type ClusterWorld } from './cluster.ts';
import { databasesAt, startMongo } from './mongo.ts';
import { platformProcess } from './platform-process.ts';
import type { LoggingWorld, StoredWorld } from './platform-world.ts';
import { checkDocuments, closeAfter } from './valid-documents.ts';
import { sharedCluster } from './shared-cluster.ts';
import { recordsOf } from './topic.ts';
import {
  connect,
  freshFolder,
  loadSimulators,
  newAdminToken,
  removeFolder,
  testEnvironment,
  testLog,
  worldOf,
} from './world.ts';

export type DeploymentMode = 'embedded' | 'distributed';

const { TIDINGS_MODE } = globalThis as { readonly TIDINGS_MODE?: DeploymentMode };

/** Jest runs `*.modes.e2e.spec.ts` once per mode. */
export const modeUnderTest = TIDINGS_MODE ?? 'embedded';

export interface PlatformWorldOptions {
  /** Setting any gives the suite a system of its own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly simulators?: SimulatorOptions;
  /** For suites that inspect more than their own account, or restart processes. @default false */
  readonly isAlone?: boolean;
  /** For a system of its own. @default a new one */
  readonly masterKey?: Uint8Array;
  /** @default one process of each kind, dispatchers of three channels */
  readonly processes?: TestClusterOptions;
  /** Called before any service has used the stores; distributed, for a system of its own only. */
  readonly fill?: (variables: Readonly<Record<string, string>>) => Promise<void>;
  /** In the embedded mode. */
  readonly modules?: PlatformOptions['modules'];
}

/**
 * Embedded in this process with its own data; distributed a {@link sharedCluster}, or a {@link cluster} of its own. The clock may be ahead from the
 * start.
 */
export async function platform(options: PlatformWorldOptions = {}, mode = modeUnderTest): Promise<StoredWorld> {
  if (mode === 'embedded') return embedded(options);
  if (!options.isAlone && !options.env && !options.masterKey) return sharedCluster(options.simulators);
  const world = await ownCluster(options);
  return { ...world, mongoUrl: world.cluster.mongoUrl };
}

/** The embedded platform runs in a separate process as well, so that its log can be read. */
export const platformInProcesses = (
  options: Omit<PlatformWorldOptions, 'masterKey' | 'fill' | 'modules'> = {},
  mode = modeUnderTest,
): Promise<LoggingWorld> => (mode === 'distributed' ? ownCluster(options) : platformProcess(options));

const ownCluster = ({ processes, isAlone: _, modules: __, ...options }: PlatformWorldOptions): Promise<ClusterWorld> =>
  cluster({ ...options, replicas: 1, ...processes });

async function embedded({
  env = {},
  simulators: options,
  masterKey,
  fill,
  modules,
}: PlatformWorldOptions): Promise<StoredWorld> {
  const log = testLog();
  const closing = new Closing(log);
  try {
    const [{ openPlatform }, mongo, simulators, dataFolder] = await Promise.all([
      import('@tidings/platform'),
      startMongo().then((opened) => closing.add('mongo', opened, (server) => server.close())),
      loadSimulators(options).then((opened) => closing.add('simulators', opened, (running) => running.close())),
      freshFolder().then((folder) => closing.add('folder', folder, removeFolder)),
    ]);
    const admin = newAdminToken();
    const variables = {
      ...testEnvironment(simulators, admin),
      PORT: '0',
      EVENTS_PORT: '0',
      SMTP_LISTEN_PORT: '0',
      MONGO_URL: mongo.url,
      TIDINGS_DATA: dataFolder,
      ...(masterKey && { TIDINGS_MASTER_KEY: Buffer.from(masterKey).toString('base64') }),
      ...env,
    };
    await fill?.({ MONGO_URL: databasesAt(mongo) });
    // Separate databases on the server that all suites of a worker share.
    const opened = await openPlatform(readEnv(variables), { log, modules, databasePrefix: mongo.prefix });
    closing.add('platform', opened, (running) => running.close());
    const { secrets, client } = await connect([opened.url], admin);
    closing.add('client', client, (idle) => idle.close());
    return {
      ...worldOf({
        urls: [opened.url],
        mailPort: opened.mailPort,
        eventsPort: opened.eventsPort,
        dataFolder,
        secrets,
        client,
        simulators,
        recordsOn: (topic) => recordsOf(opened.broker, topic),
      }),
      mongoUrl: databasesAt(mongo),
      stop: () => closeAfter(checkDocuments(databasesAt(mongo)), closing),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}
