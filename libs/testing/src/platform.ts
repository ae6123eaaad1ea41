import { Closing, readEnv } from '@tidings/runtime';
import type { SimulatorOptions } from '@tidings/simulators';
import { startMongo } from './mongo.ts';
import {
  connect,
  freshFolder,
  loadSimulators,
  newAdminToken,
  removeFolder,
  testEnvironment,
  testLog,
  type World,
  worldOf,
} from './world.ts';

export interface PlatformWorldOptions {
  /** Further environment variables, which win over those of the test. */
  readonly env?: Readonly<Record<string, string>>;
  readonly simulators?: SimulatorOptions;
}

export interface PlatformWorld extends World {
  /** Closes the platform as SIGTERM would, then the providers, and leaves nothing behind. */
  stop(): Promise<void>;
}

/**
 * The whole platform in this process, with providers, on data of its own: the world in one call. The clock stands where the system's is and
 * can be set forward.
 */
export async function platform({ env = {}, simulators: options }: PlatformWorldOptions = {}): Promise<PlatformWorld> {
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
    const { secrets, client } = await connect(opened.url, admin);
    closing.add('client', client, (idle) => idle.close());
    return {
      ...worldOf({ url: opened.url, dataFolder, secrets, client, simulators }),
      stop: () => closing.close(),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}
