import { channelNames } from '@tidings/channels';
import { backendNames, type ServiceName, services } from '@tidings/runtime';

/** A service that runs as a separate process. */
export interface ServiceProgram {
  /** Prefix of its process names, e.g. `dispatcher.fcm` or `dispatcher.fcm+hms`. */
  readonly name: string;
  /** The peer under which the other services find it: `<PEER>_ADDRESS`. */
  readonly peer: ServiceName;
  /** The built program, below `apps`. */
  readonly entry: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The channels that each dispatcher serves. */
export type ChannelGroups = readonly (readonly string[])[];

const programsOf = (peer: ServiceName, groups: ChannelGroups): ServiceProgram[] => {
  const { program: entry, isPerChannel = false }: { readonly program: string; readonly isPerChannel?: boolean } =
    services[peer];
  return isPerChannel
    ? groups.map((channels) => ({
        name: `${peer}.${channels.join('+')}`,
        peer,
        entry,
        env: { TIDINGS_CHANNEL: channels.join(',') },
      }))
    : [{ name: peer, peer, entry }];
};

/**
 * The programs of the distributed mode (architecture 2); the gateway is last, so that its peers are running.
 * @param groups @default a dispatcher for each channel
 */
export const programsWith = (
  groups: ChannelGroups = channelNames().map((channel) => [channel]),
): readonly ServiceProgram[] => [...backendNames, 'gateway' as const].flatMap((name) => programsOf(name, groups));

/** Creates the topics, and ends. */
export const TOPICS = 'platform/dist/topics.js';

/** The same for restored databases, whose topics are new. */
export const RESTORED = 'platform/dist/restored.js';
