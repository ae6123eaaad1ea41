import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  type ClusterWorld,
  Load,
  POPULATION_TIMEOUT_MS,
  processHealth,
  type ProcessHealth,
  Wire,
} from '@tidings/testing';
import { appendRow } from './testing/ledger-row.ts';
import { MemorySeries } from './testing/memory-series.ts';
import type { ClusterUnderTest } from './testing/populated.ts';

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 0.1);
const WINDOW_MS = Math.min(60_000, (MINUTES * 60_000) / 3);
const READINGS = 6;
const PAUSE_MS = 200;
/** A growing population would rightly take more memory. */
const DEVICES = 250;
const COLLECT_MS = 2000;
const HOUR_MS = 3_600_000;
const SETTLE_MS = 120_000;

export function soakFeatures(test: ClusterUnderTest): void {
  describe('steady load', () => {
    it(
      'loses nothing, and leaves no work behind',
      async () => {
        const { world, population } = test;
        world.simulators.ledger.reset();
        const series = new MemorySeries();
        const rounds: { readonly round: number; readonly codes: readonly string[] }[] = [];
        const load = await Load.during(
          world,
          population,
          async () => {
            for (const end = performance.now() + MINUTES * 60_000; performance.now() < end;) {
              const windowEnd = performance.now() + WINDOW_MS;
              const round = await population.begin();
              rounds.push({ round, codes: await population.send(round) });
              const readings: ProcessHealth[] = [];
              while (performance.now() < windowEnd) {
                await delay(WINDOW_MS / READINGS);
                readings.push(...(await processHealth(world.cluster)));
              }
              await collectGarbage(world.cluster);
              series.add(readings, await processHealth(world.cluster));
            }
          },
          { pauseMs: PAUSE_MS, devices: DEVICES },
        );
        const endedAt = performance.now();
        await world.settle(SETTLE_MS);
        const settledSeconds = (performance.now() - endedAt) / 1000;
        const wire = new Wire(world.simulators);
        const broken = [...load.faults, ...load.withoutReply];
        for (const { round, codes } of rounds) broken.push(...(await population.brokenIn(round, codes, wire)));
        broken.push(...(await load.broken()));
        const { registered, sent } = load.counts;
        await appendRow('SOAK_LEDGER', [
          ...[new Date().toISOString().slice(0, 10), availableParallelism(), MINUTES, population.all, rounds.length],
          ...[registered + sent, broken.length, described(series), settledSeconds.toFixed(1)],
        ]);
        process.stderr.write(bySlope(series));
        expect(broken).toEqual([]);
      },
      POPULATION_TIMEOUT_MS + 2 * MINUTES * 60_000,
    );
  });
}

async function collectGarbage({ members }: ClusterWorld['cluster']): Promise<void> {
  if (!process.env['NODE_OPTIONS']?.includes('--expose-gc')) return;
  for (const member of members) process.kill(member.pid, 'SIGUSR2');
  await delay(COLLECT_MS);
}

function bySlope(series: MemorySeries): string {
  const growing = series.heapSlopes(HOUR_MS / WINDOW_MS).filter(({ slopeMb, errorMb }) => slopeMb > errorMb);
  const texts = growing.map(({ name, slopeMb, errorMb }) => `${name} ${slopeMb.toFixed(1)} ± ${errorMb.toFixed(1)}`);
  return `heaps that grow beside compiled code, in MB an hour: ${texts.join(', ') || 'none'}\n`;
}

function described(series: MemorySeries): string {
  const trend = series.heapTrend(HOUR_MS / WINDOW_MS);
  const heap = trend
    ? `${trend.meanMb.toFixed(0)} | ${trend.slope.toFixed(1)} ± ${trend.error.toFixed(1)} | ${trend.codeSlope.toFixed(1)}`
    : '– | – | –';
  return `${heap} | ${Math.round(series.residentMb)} | ${Math.round(series.delayMs)}`;
}
