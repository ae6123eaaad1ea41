import { channelNames } from '@tidings/channels';
import type { ClusterOptions } from '@tidings/demo';

/** The channels of most suites. */
const COMMON = ['apns', 'fcm', 'webpush'];

/** Services that must work with a second process of their kind. Dispatchers are the same program: those of the channels of most suites prove it. */
const TWICE = /^(gateway|registry|fanout|scheduler|statistics|dispatcher\.(apns|fcm|webpush).*)$/;

export interface TestClusterOptions {
  /** Processes of the services that may have two. @default 2 */
  readonly replicas?: 1 | 2 | undefined;
  /** Whether every channel has a dispatcher; otherwise apns, fcm and webpush have. @default false */
  readonly hasEveryChannel?: boolean | undefined;
  /** Whether each channel has a dispatcher of its own, which a suite can kill. @default false: idle processes take CPU time, too */
  readonly hasSeparateChannels?: boolean | undefined;
}

function dispatchersFor({ replicas, hasEveryChannel, hasSeparateChannels }: TestClusterOptions) {
  const others = hasEveryChannel ? channelNames().filter((channel) => !COMMON.includes(channel)) : [];
  if (hasSeparateChannels) return [...COMMON, ...others].map((channel) => [channel]);
  if (others.length === 0) return [COMMON];
  return replicas === 1 ? [[...COMMON, ...others]] : [COMMON, others];
}

/** Common options of clusters in tests: stacks refer to built lines, which saves CPU time at each start. */
export const clusterForTests = (options: TestClusterOptions) =>
  ({
    dispatchers: dispatchersFor(options),
    replicas: (service: string): number => (TWICE.test(service) ? (options.replicas ?? 2) : 1),
    sourceMaps: false,
  }) satisfies Partial<ClusterOptions>;
