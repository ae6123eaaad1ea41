import type { ClusterOptions } from '@tidings/platform';

/** Services with two processes, which must work with a second one of their kind. Dispatchers are the same program: those of three channels prove it. */
const TWICE = /^(gateway|registry|fanout|scheduler|statistics|dispatcher\.(apns|fcm|webpush))$/;

/** Common options of clusters in tests: stacks refer to built lines, which saves CPU time at each start. @param most processes of a kind */
export const clusterForTests = (most: 1 | 2 = 2) =>
  ({
    replicas: (service: string): number => (TWICE.test(service) ? most : 1),
    sourceMaps: false,
  }) satisfies Partial<ClusterOptions>;
