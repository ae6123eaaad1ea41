import { channelNames } from '@tidings/channels';
import type { ClusterOptions } from '@tidings/demo';
import type { ServiceName } from '@tidings/runtime';

const COMMON = ['apns', 'fcm', 'webpush'];

/** Dispatchers are the same program: those of the common channels prove it. */
const TWICE = /^(gateway|registry|fanout|scheduler|statistics|dispatcher\.(apns|fcm|webpush).*)$/;

export interface TestClusterOptions {
  /** @default 2 */
  readonly replicas?: 1 | 2 | undefined;
  /** @default false: apns, fcm and webpush */
  readonly hasEveryChannel?: boolean | undefined;
  /** @default false: idle processes take CPU time, too */
  readonly hasSeparateChannels?: boolean | undefined;
  /** In place of processes for each service, one of each group. @default none */
  readonly groups?: ClusterOptions['groups'];
}

function dispatchersFor({ replicas, hasEveryChannel, hasSeparateChannels }: TestClusterOptions) {
  const others = hasEveryChannel ? channelNames().filter((channel) => !COMMON.includes(channel)) : [];
  if (hasSeparateChannels) return [...COMMON, ...others].map((channel) => [channel]);
  if (others.length === 0) return [COMMON];
  return replicas === 1 ? [[...COMMON, ...others]] : [COMMON, others];
}

/** Stacks refer to built lines, which saves CPU time at each start. */
export const clusterForTests = ({ groups, ...options }: TestClusterOptions) =>
  ({
    groups,
    dispatchers: dispatchersFor(options),
    replicas: (service: string): number => (!groups && TWICE.test(service) ? (options.replicas ?? 2) : 1),
    sourceMaps: false,
  }) satisfies Partial<ClusterOptions>;

const TWO = 'two';
const TOGETHER: readonly ServiceName[] = ['gateway', 'registry', 'fanout', 'scheduler', 'statistics', 'dispatcher'];

/** Every service and channel in three processes, with the replicas of {@link clusterForTests}: few starts, and little that idles. */
export const threeProcesses = {
  groups: [
    { name: TWO, services: TOGETHER, channels: COMMON },
    {
      name: 'one',
      services: ['audience-jobs', 'webhooks', 'dispatcher'],
      channels: channelNames().filter((channel) => !COMMON.includes(channel)),
    },
  ],
  replicas: (group: string): number => (group === TWO ? 2 : 1),
  sourceMaps: false,
} satisfies Partial<ClusterOptions>;
