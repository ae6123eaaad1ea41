import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient, issueTokens, type Secrets } from '@tidings/client';
import { startNode } from '@tidings/demo';
import { generateApnsKey, generateServiceAccount } from '@tidings/simulators';
import type { Figure, Measure } from './figure.ts';
import type { Parts } from './parts.ts';
import { cpuOf } from './processes.ts';
import {
  ADMIN_TOKEN,
  built,
  type DeploymentMode,
  modesHere,
  type ProviderAddresses,
  startSystem,
  type System,
} from './systems.ts';

export interface Providers extends ProviderAddresses {
  readonly tokenUrl: string;
  readonly controlUrl: string;
}

export interface World extends System {
  readonly mode: DeploymentMode;
  readonly client: ApiClient;
  readonly secrets: Secrets;
  readonly application: string;
  /** Microseconds so far, of services and servers. */
  readonly cpu: () => Parts;
  settle(): Promise<void>;
}

const SETTLE_POLL_MS = 500;

/** In a separate process, so that their work is not measured. @param maxEntries of their ledgers */
export async function startProviders(maxEntries = 1000): Promise<Providers & { stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const simulators = await startNode({
    entry: built('simulators'),
    env: { MAX_ENTRIES: String(maxEntries) },
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

/** In a fresh world for each. @default the modes that this machine can run */
export async function inEachMode<T = Measure>(
  providers: Providers,
  measured: (world: World) => Promise<readonly T[]>,
  modes: readonly DeploymentMode[] = modesHere(),
): Promise<T[]> {
  const measures: T[] = [];
  for (const mode of modes) {
    const world = await openWorld(mode, providers);
    try {
      measures.push(...(await measured(world)));
    } finally {
      await world.stop();
    }
  }
  return measures;
}

export async function figureOfWorlds(
  { id, title, modes }: Pick<Figure, 'id' | 'title'> & { readonly modes?: readonly DeploymentMode[] },
  measured: (world: World, providers: Providers) => Promise<readonly Measure[]>,
  maxEntries?: number,
): Promise<Figure> {
  const providers = await startProviders(maxEntries);
  try {
    return { id, title, measures: await inEachMode(providers, (world) => measured(world, providers), modes) };
  } finally {
    await providers.stop();
  }
}

export async function openWorld(mode: DeploymentMode, providers: Providers): Promise<World> {
  const system = await startSystem(mode, providers);
  const secrets = await issueTokens(system.url, ADMIN_TOKEN);
  const client = new ApiClient(system.url, secrets);
  return {
    ...system,
    mode,
    client,
    secrets,
    application: await createApplication(client, providers),
    cpu: () => cpuOf([...system.services(), ...system.servers()]),
    async settle() {
      // Rare polling: each poll makes every service query its stores, which would distort the measurement.
      do await delay(SETTLE_POLL_MS);
      while ((await client.reply('settled')).status !== 200);
    },
    async stop() {
      client.close();
      await system.stop();
    },
  };
}

async function createApplication(client: ApiClient, { tokenUrl }: Providers): Promise<string> {
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
    android_fcm_service_account: generateServiceAccount(tokenUrl),
  });
  return application;
}
