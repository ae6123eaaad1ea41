import { channelNames } from '@tidings/channels';
import { backendNames, type ServiceName, services } from '@tidings/runtime';

export interface ServiceProgram {
  readonly name: string;
  /** Others find each by `<SERVICE>_ADDRESS`. */
  readonly services: readonly ServiceName[];
  readonly entry: string;
  readonly env?: Readonly<Record<string, string>>;
}

export type ChannelGroups = readonly (readonly string[])[];

export interface ServiceGroup {
  readonly name: string;
  readonly services: readonly ServiceName[];
  readonly channels?: readonly string[];
}

/** As in the profile `small` of the chart. */
export const smallGroups = (): readonly ServiceGroup[] => [
  { name: 'gateway', services: ['gateway'] },
  { name: 'core', services: ['registry', 'fanout', 'scheduler', 'audience-jobs', 'statistics'] },
  { name: 'delivery', services: ['dispatcher', 'webhooks'], channels: channelNames() },
];

const programsOf = (service: ServiceName, groups: ChannelGroups): ServiceProgram[] => {
  const { program: entry, isPerChannel = false }: { readonly program: string; readonly isPerChannel?: boolean } =
    services[service];
  return isPerChannel
    ? groups.map((channels) => ({
        name: `${service}.${channels.join('+')}`,
        services: [service],
        entry,
        env: { TIDINGS_CHANNEL: channels.join(',') },
      }))
    : [{ name: service, services: [service], entry }];
};

export const programOfGroup = ({ name, services: together, channels = [] }: ServiceGroup): ServiceProgram => ({
  name,
  services: together,
  entry: 'platform/dist/main.js',
  env: {
    TIDINGS_SERVICES: together.join(','),
    ...(channels.length > 0 && { TIDINGS_CHANNEL: channels.join(',') }),
  },
});

/** The gateway is last, so that its peers are running. */
export const programsWith = (
  groups: ChannelGroups = channelNames().map((channel) => [channel]),
): readonly ServiceProgram[] => [...backendNames, 'gateway' as const].flatMap((name) => programsOf(name, groups));

export const TOPICS = 'platform/dist/topics.js';

export const RESTORED = 'platform/dist/restored.js';
