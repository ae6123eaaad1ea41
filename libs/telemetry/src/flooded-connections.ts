import type { Registry } from 'prom-client';
import { counterIn } from './metric-definitions.ts';

/** Peers that send and do not read. */
export function floodedConnections(registry: Registry, protocol: 'grpc' | 'http' | 'smtp'): () => void {
  const flooded = counterIn(registry, {
    name: 'tidings_flooded_connections_total',
    help: 'Connections closed because the peer sends and does not read, or sends without end',
    labels: ['protocol'],
  });
  flooded.inc({ protocol }, 0);
  return () => flooded.inc({ protocol });
}
