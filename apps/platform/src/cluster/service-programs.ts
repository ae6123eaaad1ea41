import { channelNames } from '@tidings/channels';
import type { Peer } from '@tidings/runtime';

/** A service as a process of its own. */
export interface ServiceProgram {
  /** Names its processes, e.g. `dispatcher.fcm`. */
  readonly name: string;
  /** How the others find it: `<PEER>_ADDRESS`. */
  readonly peer: Peer;
  /** The built program, below `apps`. */
  readonly entry: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What runs in the distributed form (architecture 2), the gateway last: what it calls is there by then. */
export const programs: readonly ServiceProgram[] = [
  { name: 'registry', peer: 'registry', entry: 'registry/dist/main.js' },
  { name: 'scheduler', peer: 'scheduler', entry: 'scheduler/dist/main.js' },
  { name: 'statistics', peer: 'statistics', entry: 'statistics/dist/main.js' },
  { name: 'audience-jobs', peer: 'audience-jobs', entry: 'audience-jobs/dist/main.js' },
  { name: 'webhooks', peer: 'webhooks', entry: 'webhooks/dist/main.js' },
  ...channelNames().map((channel): ServiceProgram => ({
    name: `dispatcher.${channel}`,
    peer: 'dispatcher',
    entry: 'dispatcher/dist/main.js',
    env: { TIDINGS_CHANNEL: channel },
  })),
  { name: 'fanout', peer: 'fanout', entry: 'registry/dist/main.fanout.js' },
  { name: 'gateway', peer: 'gateway', entry: 'gateway/dist/main.js' },
];

/** Makes the topics, and ends. */
export const TOPICS = 'platform/dist/topics.js';
