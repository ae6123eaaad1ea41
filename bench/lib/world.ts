import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApiClient,
  issueTokens,
  type PlatformProcess,
  type Secrets,
  startNode,
  startPlatformProcess,
} from '@tidings/platform';
import { generateApnsKey, generateServiceAccount } from '@tidings/simulators';
import { freePort } from '@tidings/runtime';
import { cpuMicros } from './processes.ts';

/** Addresses of running stand-ins. */
export interface Providers {
  readonly apnsUrl: string;
  readonly fcmUrl: string;
  readonly tokenUrl: string;
}

/** The built embedded platform as a process, with an application that can send. */
export interface World {
  readonly platform: PlatformProcess;
  readonly client: ApiClient;
  readonly secrets: Secrets;
  readonly application: string;
  /** CPU microseconds of the platform and of its database so far. */
  cpu(): Promise<{ readonly platform: number; readonly mongod: number }>;
  /** Waits until nothing is left to do. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const ADMIN = 'bench-administrator';
const built = (app: string): string => join(import.meta.dirname, '..', '..', 'apps', app, 'dist', 'main.js');

/** Starts the stand-ins as a process of their own, so that their work is nobody's figure. */
export async function startProviders(): Promise<Providers & { stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const simulators = await startNode({
    entry: built('simulators'),
    env: { MAX_ENTRIES: '1000' },
    logFile: join(folder, 'simulators.log'),
  });
  const addresses = JSON.parse(await simulators.firstLine()) as Providers;
  return {
    ...addresses,
    async stop() {
      simulators.signal('SIGTERM');
      await simulators.ended();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const startPlatform = async (
  dataFolder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<PlatformProcess> =>
  startPlatformProcess({
    entry: built('platform'),
    dataFolder,
    port: await freePort(),
    env: { TIDINGS_ADMIN_TOKEN: ADMIN, LOG_LEVEL: 'warn', TIDINGS_ALLOW_PRIVATE: '127.0.0.0/8', ...env },
  });

export async function openWorld(providers: Providers): Promise<World> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const platform = await startPlatform(dataFolder, { APNS_URL: providers.apnsUrl, FCM_URL: providers.fcmUrl });
  const secrets = await issueTokens(platform.url, ADMIN);
  const client = new ApiClient(platform.url, secrets);
  const { application } = await client.call('createApplication', { title: 'Bench' });
  const key = generateApnsKey();
  await client.call('configureApplication', {
    application,
    device_type: 1,
    ios_key_management_type: 'manual',
    ios_key_file: Buffer.from(key.privateKey).toString('base64'),
    ios_key_password: '',
    ios_gateway: 1,
    ios_framework: 'native',
    ios_bundle_id: 'com.example.bench',
    ios_key_id: key.keyId,
    ios_team_id: key.teamId,
  });
  await client.call('configureApplication', {
    application,
    device_type: 3,
    android_framework: 'native',
    android_fcm_service_account: generateServiceAccount(providers.tokenUrl),
  });
  const mongodPid = (await platform.mongodPid())!;
  return {
    platform,
    client,
    secrets,
    application,
    async cpu() {
      return { platform: cpuMicros(platform.pid), mongod: cpuMicros(mongodPid) };
    },
    async settle() {
      // Asking makes every service look into its stores, which is not what is measured: it is done seldom.
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        const { status } = await client.reply('settled');
        if (status === 200) return;
      }
    },
    async stop() {
      client.close();
      await platform.stop();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
