import { type Channel, Fault } from '@tidings/kernel';
import { apns } from './apns/apns-definition.ts';
import type { ChannelDefinition } from './channel-definition.ts';
import { fcm } from './fcm/fcm-definition.ts';

/** Every channel. */
export const definitions = { apns, fcm } satisfies Record<Channel, ChannelDefinition>;

const byPlatform = new Map(
  Object.values<ChannelDefinition>(definitions).flatMap((definition) =>
    definition.platforms.map((platform): [number, ChannelDefinition] => [platform, definition]),
  ),
);

/** The definition of the channel that a platform belongs to; undefined where none serves it. */
export const definitionOf = (platform: number): ChannelDefinition | undefined => byPlatform.get(platform);

/** The channel whose dispatchers send a variant to a platform. @throws Fault `bug` where there is none: plans name no such variant */
export function channelServing(platform: number, variant: string): Channel {
  const channel = definitionOf(platform)?.variants[variant];
  if (!channel) throw Fault.bug(`no channel serves ${variant} of platform ${platform}`);
  return channel;
}
