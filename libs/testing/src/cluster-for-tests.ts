import type { ClusterOptions } from '@tidings/platform';

/** Services with two processes, which must work with a second one of their kind. */
const TWICE = /^(gateway|registry|fanout|scheduler|statistics|dispatcher\..*)$/;

/** Common options of clusters in tests: stacks refer to built lines, which saves CPU time at each start. */
export const clusterForTests = {
  replicas: (service: string): number => (TWICE.test(service) ? 2 : 1),
  sourceMaps: false,
} satisfies Partial<ClusterOptions>;
