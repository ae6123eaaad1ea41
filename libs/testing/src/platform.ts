import { Closing, readEnv } from '@tidings/runtime';
import type { SimulatorOptions } from '@tidings/simulators';
import { cluster } from './cluster.ts';
import { databasesAt, startMongo } from './mongo.ts';
import { platformProcess } from './platform-process.ts';
import type { LoggingWorld, StoredWorld } from './platform-world.ts';
import { checkDocuments } from './valid-documents.ts';
import { sharedCluster } from './shared-cluster.ts';
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

/** The forms that Tidings runs in (architecture 3). */
export type Form = 'embedded' | 'distributed';

/** What a suite named `*.forms.e2e.spec.ts` runs on: Jest runs it once for each form. */
export const formUnderTest = (globalThis as { readonly TIDINGS_FORM?: Form }).TIDINGS_FORM ?? 'embedded';

export interface PlatformWorldOptions {
  /** Further environment variables, which win over those of the test. With some the suite has a system for itself. */
  readonly env?: Readonly<Record<string, string>>;
  readonly simulators?: SimulatorOptions;
  /**
   * Whether the suite has a system for itself, also where others share one: it looks at more than its own account, or restarts processes.
   * @default false
   */
  readonly isAlone?: boolean;
}

/**
 * The whole platform with providers: the world in one call. Embedded it is in this process, on data of its own; distributed it is a
 * {@link sharedCluster}, which the suite has an account of, or a {@link cluster} that it has for itself. The clock can be set forward, and
 * may be ahead of the machine's from the beginning.
 */
export async function platform(options: PlatformWorldOptions = {}, form = formUnderTest): Promise<StoredWorld> {
  if (form === 'embedded') return embedded(options);
  if (!options.isAlone && !options.env) return sharedCluster(options.simulators);
  const world = await cluster(options);
  return { ...world, mongoUrl: world.cluster.mongoUrl };
}

/** The same, and embedded in a process of its own too, so that what it logs can be read. */
export const platformInProcesses = (options: PlatformWorldOptions = {}, form = formUnderTest): Promise<LoggingWorld> =>
  form === 'distributed' ? cluster(options) : platformProcess(options);

async function embedded({ env = {}, simulators: options }: PlatformWorldOptions): Promise<StoredWorld> {
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
      MONGO_URL: mongo.url,
      TIDINGS_DATA: dataFolder,
      ...env,
    };
    // Databases of its own on the server that all suites of a worker share.
    const opened = await openPlatform(readEnv(variables), { log, databasePrefix: mongo.prefix });
    closing.add('platform', opened, (running) => running.close());
    const { secrets, client } = await connect([opened.url], admin);
    closing.add('client', client, (idle) => idle.close());
    return {
      ...worldOf({ urls: [opened.url], dataFolder, secrets, client, simulators }),
      mongoUrl: databasesAt(mongo),
      stop: () => checkDocuments(databasesAt(mongo)).finally(() => closing.close()),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}
