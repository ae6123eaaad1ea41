import type { ClusterOptions } from '@tidings/platform';

/** Services that must work with a second process of their kind. Dispatchers are the same program: those of the channels of most suites prove it. */
const TWICE = /^(gateway|registry|fanout|scheduler|statistics|dispatcher\.(apns|fcm|webpush))$/;

export interface TestClusterOptions {
  /** Processes of the services that may have two. @default 2 */
  readonly replicas?: 1 | 2 | undefined;
  /** Whether every channel has a dispatcher; otherwise apns, fcm and webpush have. @default false */
  readonly hasEveryChannel?: boolean | undefined;
}

/** Common options of clusters in tests: stacks refer to built lines, which saves CPU time at each start. */
export const clusterForTests = ({ replicas = 2, hasEveryChannel = false }: TestClusterOptions) =>
  ({
    replicas(service: string): number {
      if (TWICE.test(service)) return replicas;
      return service.startsWith('dispatcher.') && !hasEveryChannel ? 0 : 1;
    },
    sourceMaps: false,
  }) satisfies Partial<ClusterOptions>;
