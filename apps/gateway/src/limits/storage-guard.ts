import type { api, Method } from '@tidings/contract';
import { every } from '@tidings/coordination';
import { Fault } from '@tidings/kernel';
import type { Operations } from '@tidings/rpc';
import type { Logger } from '@tidings/runtime';
import { readIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

const CHECK_INTERVAL_MS = 5_000;
const NEARLY_LOW_INTERVAL_MS = 1_000;
const MB = 2 ** 20;

export interface StorageGuardOptions {
  readonly operations: Pick<Operations, 'storage'>;
  readonly minFreeBytes: number;
  readonly log: Logger;
  readonly metrics: Registry;
}

/** MongoDB ends when its volume is full (R-ER12). */
export interface StorageGuard {
  admit(): void;
  note(): string | undefined;
  stop(): Promise<void>;
}

/** Unknown room counts as enough. Resolves after the first look. */
export async function openStorageGuard(options: StorageGuardOptions): Promise<StorageGuard> {
  const { operations, minFreeBytes, log, metrics } = options;
  let free: number | undefined;
  let isLow = false;
  const look = async (): Promise<void> => {
    const { freeBytes } = await operations.storage({}).catch(unlessUnavailable);
    free = freeBytes === undefined ? undefined : Number(freeBytes);
    const wasLow = isLow;
    isLow = free !== undefined && free < minFreeBytes;
    if (free === undefined || free < 4 * minFreeBytes) looking.within(NEARLY_LOW_INTERVAL_MS);
    if (isLow && !wasLow) log.error(shown(), 'the volume of MongoDB is nearly full: writes of callers are refused');
    if (wasLow && !isLow) log.info(shown(), 'the volume of MongoDB has room again: writes of callers are accepted');
  };
  const shown = () => ({
    freeMb: free === undefined ? undefined : Math.floor(free / MB),
    minFreeMb: minFreeBytes / MB,
  });
  const help = 'Free bytes on the volume of the primary of MongoDB; none while they are unknown';
  readIn(metrics, 'gauge', { name: 'tidings_store_free_bytes', help }, () =>
    free === undefined ? [] : [{ value: free }],
  );
  const looking = every(CHECK_INTERVAL_MS, look, { name: 'room of MongoDB', log });
  await looking.now();
  return {
    admit() {
      if (isLow) throw new Fault('unavailable', 'The store is nearly full', { effect: 'none', retryAfterSeconds: 5 });
    },
    note() {
      if (!isLow) return undefined;
      const { freeMb, minFreeMb } = shown();
      return `the volume of MongoDB has ${freeMb} MB free, less than ${minFreeMb}: writes of callers are refused`;
    },
    stop: () => looking.stop(),
  };
}

function unlessUnavailable(thrown: unknown): { freeBytes?: undefined } {
  if (!(thrown instanceof Fault) || thrown.kind !== 'unavailable') throw thrown;
  return {};
}

const reading: ReadonlySet<string> = new Set([
  ...(['getApplication', 'getApplications', 'getApplicationFile', 'getTags', 'checkDevice', 'getConfig'] as const),
  ...(['getInApps', 'listTags', 'listTestDevices', 'listFilters', 'compileFilter', 'getExportSegment'] as const),
  ...(['getInboxMessages', 'listGeoZones', 'listGeoZoneClusters', 'getPreset', 'listPresets'] as const),
  ...(['getCampaigns', 'messagesList', 'getDeliveryFunnel', 'totalsByIntervals'] as const),
] satisfies (keyof typeof api)[]);

/** Operators may need the others to make room. */
const storingMuch: ReadonlySet<string> = new Set([
  ...(['startReplay', 'redriveDeadLetters'] as const),
] satisfies (keyof typeof api)[]);

export function storesMore(name: string, { family, verb }: Pick<Method, 'family' | 'verb'>): boolean {
  if (family === 'admin') return storingMuch.has(name);
  return verb !== 'GET' && !/^(?:delete|unregister)/.test(name) && !reading.has(name);
}
