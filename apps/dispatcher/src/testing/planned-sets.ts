import { TOKEN_BIT } from '@tidings/channels';
import {
  type Candidates,
  planChunk,
  positionsOfSlice,
  type PlanRules,
  type RecipientSetKey,
  sliceCount,
} from '@tidings/delivery';
import { Bitmap, Platform } from '@tidings/kernel';
import type { PlannedSlice } from './check-run.ts';
import { sendBatch } from './test-batches.ts';

export interface PlannedSet {
  readonly key: RecipientSetKey;
  readonly slices: readonly PlannedSlice[];
  readonly plannedAt: number;
}

interface Device {
  readonly position: number;
  readonly platform: number;
  readonly controlBucket: number;
  readonly hasToken: boolean;
}

/** More slices than a batch, and the last one is not full. */
const MANY = 2_100;
const FEW = 12;

const settingsOf = (platform: number) => ({ platform, enabled: true, configured: true, credentialVersion: 1 });

const rulesOf = (chunk: number, at: number): PlanRules => ({
  chunk,
  named: false,
  transactional: false,
  platforms: [Platform.iOS, Platform.Android],
  content: undefined,
  application: {
    platforms: [Platform.iOS, Platform.Android].map(settingsOf),
    controlGroupPercentage: 2,
  },
  at: new Date(at),
});

function devicesOf(chunk: number, random: () => number): Device[] {
  const counts: [platform: number, count: number][] =
    chunk === 0
      ? [[Platform.iOS, MANY]]
      : [
          [Platform.iOS, FEW],
          [Platform.Android, FEW],
          [Platform.Email, 2],
        ];
  let position = 0;
  return counts
    .flatMap(([platform, count]) => Array.from({ length: count }, () => ({ platform, place: random() })))
    .sort((a, b) => a.place - b.place)
    .map(({ platform }) => ({
      position: (position += 1 + Math.floor(random() * 20)),
      platform,
      controlBucket: Math.floor(random() * 10_000),
      hasToken: random() > 0.03,
    }));
}

const candidatesOf = (devices: readonly Device[]): Candidates => ({
  count: devices.length,
  positions: Uint16Array.from(devices, ({ position }) => position),
  platforms: Uint8Array.from(devices, ({ platform }) => platform),
  controlBuckets: Uint16Array.from(devices, ({ controlBucket }) => controlBucket),
  fields: Uint8Array.from(devices, ({ hasToken }) => (hasToken ? TOKEN_BIT : 0)),
});

export function planSets(
  chunk: number,
  plannedAt: number,
  random: () => number,
): { readonly devices: readonly string[]; readonly sets: readonly PlannedSet[] } {
  const { message, bucket, application } = sendBatch([]);
  const devices = devicesOf(chunk, random);
  const nameOf = (position: number): string => `${chunk}.${position}`;
  const sets = planChunk(candidatesOf(devices), rulesOf(chunk, plannedAt)).sendable.map(
    ({ platform, variant, set }) => {
      const key = { message, bucket, application, chunk, platform, variant };
      const positions = Bitmap.decode(set).positions();
      const slices = Array.from({ length: sliceCount(positions.length) }, (_, number) => ({
        identity: { ...key, number },
        devices: Array.from(positionsOfSlice(positions, number), nameOf),
      }));
      return { key, slices, plannedAt };
    },
  );
  return { devices: devices.map(({ position }) => nameOf(position)), sets };
}
