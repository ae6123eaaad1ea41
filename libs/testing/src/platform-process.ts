import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@tidings/kernel';
import type { PlatformProcess } from '@tidings/demo';
import { startMongod } from '@tidings/local-servers';
import { Closing, freePort } from '@tidings/runtime';
import type { SimulatorOptions } from '@tidings/simulators';
import { apps, buildAll } from './build.ts';
import { checkDocuments, closeAfter } from './valid-documents.ts';
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

export interface ProcessWorldOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly simulators?: SimulatorOptions;
}

export interface ProcessWorld extends World {
  pids(): Promise<{ readonly platform: number; readonly mongod: number | undefined }>;
  /** Waits until it has ended. Calls fail until {@link start}. */
  kill(what: 'platform' | 'everything'): Promise<void>;
  /** On the same data and port; variables also apply to later starts. */
  start(env?: Readonly<Record<string, string>>): Promise<void>;
  end(): Promise<number | NodeJS.Signals>;
  restart(env: Readonly<Record<string, string>>): Promise<void>;
  logged(): Promise<string>;
  /** Validates the stored documents first. */
  stop(): Promise<void>;
}

/** Starts the data folder's server if it does not run. */
async function checkStored(dataFolder: string): Promise<void> {
  const mongod = await startMongod(join(dataFolder, 'mongo'));
  try {
    await checkDocuments(mongod.url);
  } finally {
    await mongod.stop();
  }
}

/** Simulators run in this process: kills do not affect their ledger. */
export async function platformProcess({
  env = {},
  simulators: options,
}: ProcessWorldOptions = {}): Promise<ProcessWorld> {
  const closing = new Closing(testLog());
  try {
    const [{ startPlatformProcess }, simulators, dataFolder] = await Promise.all([
      import('@tidings/demo'),
      loadSimulators(options).then((opened) => closing.add('simulators', opened, (running) => running.close())),
      freshFolder().then((folder) => closing.add('folder', folder, removeFolder)),
      buildAll(),
    ]);
    const admin = newAdminToken();
    const port = await freePort();
    let running: PlatformProcess | undefined;
    let ownEnv: Readonly<Record<string, string>> = {};
    const start = async (further = ownEnv): Promise<void> => {
      ownEnv = further;
      running = await startPlatformProcess({
        entry: `${apps}platform/dist/main.js`,
        dataFolder,
        port,
        env: { ...testEnvironment(simulators, admin), ...env, ...further },
      });
    };
    const current = (): PlatformProcess => {
      if (!running) throw Fault.bug('the platform does not run');
      return running;
    };
    const end = async (): Promise<number | NodeJS.Signals> => {
      const code = await current().stop();
      running = undefined;
      return code;
    };
    closing.add('platform', undefined, () => running?.kill('everything'));
    await start();
    const { secrets, client } = await connect([current().url], admin);
    closing.add('client', client, (idle) => idle.close());
    return {
      ...worldOf({ urls: [current().url], dataFolder, secrets, client, simulators }),
      pids: async () => ({ platform: current().pid, mongod: await current().mongodPid() }),
      async kill(what) {
        await current().kill(what);
        if (what === 'everything') running = undefined;
      },
      start,
      logged: () => readFile(join(dataFolder, 'platform.log'), 'utf8'),
      end,
      async restart(further) {
        await end();
        await start(further);
      },
      stop: () => closeAfter(checkStored(dataFolder), closing),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}
