import type { ReplicaNumber } from '@tidings/kernel';
import { readIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

export function replicaMetrics(registry: Registry, service: string, replica: ReplicaNumber): void {
  const definition = {
    name: 'tidings_ids_blocked',
    help: '1 while the service has no number for ids in this process, and assigns none; else 0',
    labels: ['service'],
  } as const;
  readIn(registry, 'gauge', definition, () => [
    { labels: { service }, value: replica.current() === undefined ? 1 : 0 },
  ]);
}
