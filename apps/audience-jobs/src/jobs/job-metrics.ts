import { JobFailure } from '@tidings/events';
import type { Clock } from '@tidings/kernel';
import { counterIn, readIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';
import type { JobStore } from './job-store.ts';

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

const REASONS: Readonly<Partial<Record<JobFailure, string>>> = {
  [JobFailure.JOB_FAILURE_APPLICATION_GONE]: 'application_gone',
  [JobFailure.JOB_FAILURE_INTERNAL_ERROR]: 'internal_error',
  [JobFailure.JOB_FAILURE_PROCESS_DIED]: 'process_died',
};

export type CountFailure = (reason: JobFailure) => void;

export function failureMetrics(registry: Registry): CountFailure {
  const failures = counterIn(registry, {
    name: 'tidings_jobs_failures_total',
    help: 'Bulk jobs and exports that failed, by reason',
    labels: ['reason'],
  });
  // Alerts need an initial 0.
  for (const reason of Object.values(REASONS)) failures.inc({ reason }, 0);
  return (failure) => failures.inc({ reason: REASONS[failure] ?? 'internal_error' });
}
