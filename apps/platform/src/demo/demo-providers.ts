import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HttpClient } from '../client/http-client.ts';
import { startNode } from '../process/node-process.ts';
import type { DemoPlatform } from './demo-population.ts';

type ProviderName = DemoPlatform['provider'];

/** A push as the provider received it. */
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

/** The provider simulators in a separate process, and their ledgers. */
export interface Providers {
  readonly apnsUrl: string;
  readonly fcmUrl: string;
  readonly tokenUrl: string;
  /** Registers the public halves of credentials: signatures are verified from then on. */
  know(publicKeys: unknown): Promise<void>;
  summary(): Promise<Readonly<Record<ProviderName, Summary>>>;
  /** Every accepted push. */
  accepted(provider: ProviderName): Promise<readonly Push[]>;
  stop(): Promise<void>;
}

const PAGE = 5000;
/** Approximate latency of a provider. Without latency no push would be in flight when the provider asks to wait. */
const LATENCY_MS = 40;

/** Starts the simulators, which are a separate program. @param folder for their logs */
export async function startProviders(folder: string): Promise<Providers> {
  const child = await startNode({
    entry: fileURLToPath(new URL('main.js', import.meta.resolve('@tidings/simulators'))),
    env: { KEEP_PAYLOADS: '1', HOST: '127.0.0.1' },
    logFile: join(folder, 'simulators.log'),
  });
  const addresses = JSON.parse(await child.firstLine()) as Record<
    'apnsUrl' | 'fcmUrl' | 'tokenUrl' | 'controlUrl',
    string
  >;
  const control = new HttpClient(addresses.controlUrl, 4);
  await control.send('/faults', { method: 'POST', body: { latencyMs: LATENCY_MS } });
  const get = async <T>(path: string): Promise<T> => (await control.send(path)).body as T;
  return {
    ...addresses,
    async know(publicKeys) {
      await control.send('/keys', { method: 'POST', body: publicKeys });
    },
    summary: () => get('/ledger/summary'),
    async accepted(provider) {
      const pushes: Push[] = [];
      for (;;) {
        const query = `provider=${provider}&reason=accepted&limit=${PAGE}&offset=${pushes.length}`;
        const page = await get<Push[]>(`/ledger/entries?${query}`);
        pushes.push(...page);
        if (page.length < PAGE) return pushes;
      }
    },
    async stop() {
      control.close();
      child.signal('SIGTERM');
      await child.ended();
    },
  };
}
