import { type Channel, Fault } from '@tidings/kernel';
import { adm } from './adm/adm-definition.ts';
import { apns } from './apns/apns-definition.ts';
import type { ChannelDefinition, PushKind, Variant } from './channel-definition.ts';
import { email } from './email/email-definition.ts';
import { fcm } from './fcm/fcm-definition.ts';
import { hms } from './hms/hms-definition.ts';
import { line } from './line/line-definition.ts';
import { sms } from './sms/sms-definition.ts';
import { kakao } from './kakao/kakao-definition.ts';
import { webpush } from './webpush/webpush-definition.ts';
import { whatsapp } from './whatsapp/whatsapp-definition.ts';
import { wns } from './wns/wns-definition.ts';

export const definitions = { apns, fcm, webpush, email, hms, adm, whatsapp, wns, line, sms, kakao } satisfies Record<
  Channel,
  ChannelDefinition
>;

type AnyDefinition = ChannelDefinition<unknown, string>;

const byName = new Map<string, AnyDefinition>();
const byPlatform = new Map<number, AnyDefinition>();

/** @throws Fault `bug` if the name or a platform is taken */
export function addChannel<Name extends string>(
  name: Name,
  definition: ChannelDefinition<unknown, Name | Channel>,
): void {
  const duplicate = definition.platforms.find((platform) => byPlatform.has(platform));
  if (duplicate !== undefined) throw Fault.bug(`channel ${name}: platform ${duplicate} belongs to another channel`);
  if (byName.has(name)) throw Fault.bug(`channel ${name}: there is one of this name`);
  byName.set(name, definition);
  for (const platform of definition.platforms) byPlatform.set(platform, definition);
}

for (const [name, definition] of Object.entries<ChannelDefinition>(definitions)) addChannel(name, definition);

export function removeChannel(name: string): void {
  byName.get(name)?.platforms.forEach((platform) => byPlatform.delete(platform));
  byName.delete(name);
}

export const channelNames = (): readonly string[] => [...byName.keys()];

export const allDefinitions = (): readonly AnyDefinition[] => [...byName.values()];

export const definitionOf = (platform: number): AnyDefinition | undefined => byPlatform.get(platform);

export const tokenText = (platform: number, token: string): string => definitionOf(platform)?.tokenText(token) ?? token;

/** @throws Fault `bug` if there is none */
export function variantOf({ platform, variant }: Omit<PushKind, 'content'>): Variant<string> {
  const found = definitionOf(platform)?.variants[variant];
  if (!found) throw Fault.bug(`no channel serves ${variant} of platform ${platform}`);
  return found;
}

export const channelServing = (kind: Omit<PushKind, 'content'>): string => variantOf(kind).channel;

export function definitionServing(kind: Omit<PushKind, 'content'>): AnyDefinition {
  const channel = channelServing(kind);
  const definition = byName.get(channel);
  if (!definition) throw Fault.bug(`there is no channel ${channel}`);
  return definition;
}
