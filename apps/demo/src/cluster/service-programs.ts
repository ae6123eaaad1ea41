import { channelNames } from '@tidings/channels';
import { backendNames, type ServiceName, services } from '@tidings/runtime';

export interface ServiceProgram {
  readonly name: string;
  /** Other services find it by `<PEER>_ADDRESS`. */
  readonly peer: ServiceName;
  readonly entry: string;
  readonly env?: Readonly<Record<string, string>>;
}

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

/** The gateway is last, so that its peers are running. */
export const programsWith = (
  groups: ChannelGroups = channelNames().map((channel) => [channel]),
): readonly ServiceProgram[] => [...backendNames, 'gateway' as const].flatMap((name) => programsOf(name, groups));

export const TOPICS = 'platform/dist/topics.js';

export const RESTORED = 'platform/dist/restored.js';
