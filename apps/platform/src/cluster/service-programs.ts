import { channelNames } from '@tidings/channels';
import { backendNames, type ServiceName, services } from '@tidings/runtime';

/** A service that runs as a separate process. */
export interface ServiceProgram {
  /** Prefix of its process names, e.g. `dispatcher.fcm`. */
  readonly name: string;
  /** The peer under which the other services find it: `<PEER>_ADDRESS`. */
  readonly peer: ServiceName;
  /** The built program, below `apps`. */
  readonly entry: string;
  readonly env?: Readonly<Record<string, string>>;
}

const programsOf = (peer: ServiceName): ServiceProgram[] => {
  const { program: entry, isPerChannel = false }: { readonly program: string; readonly isPerChannel?: boolean } =
    services[peer];
  return isPerChannel
    ? channelNames().map((channel) => ({ name: `${peer}.${channel}`, peer, entry, env: { TIDINGS_CHANNEL: channel } }))
    : [{ name: peer, peer, entry }];
};

/** The programs of the distributed mode (architecture 2); the gateway is last, so that its peers are running. */
export const programs: readonly ServiceProgram[] = [...backendNames.flatMap(programsOf), ...programsOf('gateway')];

/** Creates the topics, and ends. */
export const TOPICS = 'platform/dist/topics.js';
