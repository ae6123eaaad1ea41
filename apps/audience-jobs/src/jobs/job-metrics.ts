import type { Clock } from '@tidings/kernel';
import { readIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';
import type { JobStore } from './job-store.ts';

/** The time for which the oldest due job has been waiting or running: a single figure that reveals a standstill. */
export function jobMetrics(registry: Registry, store: JobStore, clock: Clock): void {
  const definition = {
    name: 'tidings_jobs_oldest_pending_seconds',
    help: 'For how long the oldest bulk job that has no end yet and does not rest has been accepted; 0 = there is none',
  } as const;
  readIn(registry, 'gauge', definition, async () => {
    const [oldest] = await store.due(1);
    return [{ value: oldest ? Math.max(0, clock.now() - oldest.acceptedAt.getTime()) / 1000 : 0 }];
  });
}
