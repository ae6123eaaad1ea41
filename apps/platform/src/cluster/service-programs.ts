import { channelNames } from '@tidings/channels';
import type { Peer } from '@tidings/runtime';

/** A service that runs as a separate process. */
export interface ServiceProgram {
  /** Prefix of its process names, e.g. `dispatcher.fcm`. */
  readonly name: string;
  /** The peer under which the other services find it: `<PEER>_ADDRESS`. */
  readonly peer: Peer;
  /** The built program, below `apps`. */
  readonly entry: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The programs of the distributed mode (architecture 2); the gateway is last, so that its peers are running. */
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

/** Creates the topics, and ends. */
export const TOPICS = 'platform/dist/topics.js';
