import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNode } from '../process/node-process.ts';
import type { DemoPlatform } from './demo-population.ts';
import { HttpClient } from '@tidings/client';

type ProviderName = DemoPlatform['provider'];
type ServiceName = DemoPlatform['service'];

export interface Push {
  readonly token: string;
  readonly hash: string;
  readonly payload: string;
}

interface Summary {
  readonly byReason: Readonly<Record<string, number>>;
  readonly tokens: number;
  readonly duplicates: number;
}

export interface Providers {
  readonly apnsUrl: string;
  readonly fcmUrl: string;
  readonly tokenUrl: string;
  webPushUrlOf(platform: DemoPlatform): string;
  registerKeys(publicKeys: unknown): Promise<void>;
  summary(platform: DemoPlatform): Promise<Summary>;
  accepted(platform: DemoPlatform): Promise<readonly Push[]>;
  stop(): Promise<void>;
}

const PAGE = 5000;
/** Without latency no push would be in flight when the provider asks to wait. */
const LATENCY_MS = 40;

export interface Simulators {
  readonly apnsUrl: string;
  readonly fcmUrl: string;
  readonly webPushUrl: string;
  readonly hmsUrl: string;
  readonly admUrl: string;
  readonly wnsUrl: string;
  readonly smtpUrl: string;
  readonly smppUrl: string;
  readonly whatsAppUrl: string;
  readonly lineUrl: string;
  readonly kakaoUrl: string;
  readonly tokenUrl: string;
  readonly control: HttpClient;
  stop(): Promise<void>;
}

export async function startSimulators(logFile: string): Promise<Simulators> {
  const child = await startNode({
    entry: fileURLToPath(new URL('main.js', import.meta.resolve('@tidings/simulators'))),
    env: { KEEP_PAYLOADS: '1', HOST: '127.0.0.1' },
    logFile,
  });
  const addresses = JSON.parse(await child.firstLine()) as Omit<Simulators, 'control' | 'stop'> & {
    controlUrl: string;
  };
  const control = new HttpClient(addresses.controlUrl, 4);
  await control.send('/faults', { method: 'POST', body: { latencyMs: LATENCY_MS } });
  return {
    ...addresses,
    control,
    async stop() {
      control.close();
      child.signal('SIGTERM');
      await child.ended();
    },
  };
}

export async function startProviders(folder: string): Promise<Providers> {
  const [main, firefox] = await Promise.all([
    startSimulators(join(folder, 'simulators.log')),
    startSimulators(join(folder, 'simulators-firefox.log')),
  ]);
  const services: Readonly<Record<ServiceName, Simulators>> = { main, firefox };
  const get = async <T>({ service }: DemoPlatform, path: string): Promise<T> =>
    (await services[service].control.send(path)).body as T;
  return {
    ...main,
    webPushUrlOf: ({ service }) => services[service].webPushUrl,
    async registerKeys(publicKeys) {
      for (const { control } of Object.values(services))
        await control.send('/keys', { method: 'POST', body: publicKeys });
    },
    async summary(platform) {
      const all = await get<Readonly<Record<ProviderName, Summary>>>(platform, '/ledger/summary');
      return all[platform.provider];
    },
    async accepted(platform) {
      const pushes: Push[] = [];
      for (;;) {
        const query = `provider=${platform.provider}&reason=accepted&limit=${PAGE}&offset=${pushes.length}`;
        const page = await get<Push[]>(platform, `/ledger/entries?${query}`);
        pushes.push(...page);
        if (page.length < PAGE) return pushes;
      }
    },
    async stop() {
      await Promise.all(Object.values(services).map((service) => service.stop()));
    },
  };
}
