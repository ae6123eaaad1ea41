import type { ClusterOptions } from '@tidings/platform';

/** What runs twice: whatever has to get on with a second one of its kind. */
const TWICE = /^(gateway|registry|fanout|scheduler|statistics|dispatcher\..*)$/;

/** What every cluster for tests is started with: its stacks name lines of what is built, which saves CPU time at each start. */
export const clusterForTests = {
  replicas: (service: string): number => (TWICE.test(service) ? 2 : 1),
  sourceMaps: false,
} satisfies Partial<ClusterOptions>;
