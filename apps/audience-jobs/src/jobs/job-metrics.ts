import type { Clock } from '@tidings/kernel';
import { readIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';
import type { JobStore } from './job-store.ts';

/** The time for which the oldest due job has been waiting or running: a single figure that reveals a standstill. */
export function jobMetrics(registry: Registry, store: JobStore, clock: Clock): void {
  const definition = {
    name: 'tidings_jobs_oldest_pending_seconds',
    help: 'Age of the oldest bulk job that is neither ended nor deferred, in seconds; 0 without one',
  } as const;
  readIn(registry, 'gauge', definition, async () => {
    const [oldest] = await store.due(1);
    return [{ value: oldest ? Math.max(0, clock.now() - oldest.acceptedAt.getTime()) / 1000 : 0 }];
  });
}
