import { channelOf, Platform, sendIdOf } from '@tidings/kernel';
import {
  apnsKind,
  apnsPayload,
  type CompiledPayload,
  type DeviceColumns,
  fcmPayload,
  type MessageKey,
  messageKeyOf,
  type OutgoingMessage,
  PayloadWriter,
} from '@tidings/messaging';
import type { DeviceDescription } from '@tidings/rpc';
import type { KeyObject } from 'node:crypto';
import type { KnownMessage } from '../facts/messages.ts';

/** A device that a message was sent to. */
export interface Recipient {
  readonly application: string;
  readonly chunk: number;
  readonly position: number;
  readonly platform: number;
  readonly device: DeviceDescription;
  /** Its values of the content's tags, in their order. */
  readonly values: readonly string[];
}

interface Rendering {
  readonly payload: CompiledPayload;
  readonly limit: number;
}

const writer = new PayloadWriter();
/** What was compiled for a message, by application, platform and language; it goes with the message. */
const compiled = new WeakMap<KnownMessage, Map<string, Rendering | undefined>>();

const outgoing = ({ code, bucket, id, accepted }: KnownMessage): OutgoingMessage => ({
  message: code,
  bucket,
  messageId: id,
  campaignId: accepted.campaignId,
  content: accepted.content,
});

function compile(message: KnownMessage, platform: number, language: string, key: MessageKey): Rendering | undefined {
  const channel = channelOf(platform);
  switch (channel) {
    case 'apns':
      return {
        payload: apnsPayload(outgoing(message), language, key),
        limit: apnsKind(message.accepted.content!).limit,
      };
    case 'fcm':
      return { payload: fcmPayload(outgoing(message), language, key), limit: Infinity };
    case undefined:
      return undefined;
  }
}

function renderingOf(message: KnownMessage, recipient: Recipient, reportKey: KeyObject): Rendering | undefined {
  const { application, platform } = recipient;
  const { language } = recipient.device;
  const renderings = compiled.get(message) ?? new Map<string, Rendering | undefined>();
  compiled.set(message, renderings);
  const name = `${application}/${platform}/${language}`;
  if (!renderings.has(name)) {
    const { code, id: messageId, accepted } = message;
    const key = messageKeyOf(reportKey, application, { code, messageId, campaignId: accepted.campaignId });
    renderings.set(name, compile(message, platform, language, key));
  }
  return renderings.get(name);
}

/** The badge that the message showed on the device: settled, it is the device's base; until then it is to be added (R-C9). */
function badgeOf({ code, bucket, accepted }: KnownMessage, { platform, device }: Recipient): number {
  const { ios, android } = accepted.content!;
  const badge = platform === Platform.iOS ? ios?.badge : android?.badge;
  const isRelative = badge !== undefined && /^[+-]/.test(badge);
  if (!isRelative || device.badgeOf === sendIdOf({ message: code, bucket })) return device.badge;
  return Math.max(0, device.badge + Number(badge));
}

function columnsOf(message: KnownMessage, recipient: Recipient): DeviceColumns {
  const { chunk, position, platform, device, values } = recipient;
  const tokens = Buffer.from(device.token);
  let end = 0;
  const valueEnds = Uint32Array.from(values, (value) => (end += Buffer.byteLength(value)));
  return {
    chunk,
    positions: Uint16Array.of(position),
    platform,
    checks: Uint8Array.of(device.check >>> 16, (device.check >>> 8) & 0xff, device.check & 0xff),
    tokens,
    tokenEnds: Uint32Array.of(tokens.length),
    values: Buffer.from(values.join('')),
    valueEnds,
    tags: values.length,
    badges: Int32Array.of(badgeOf(message, recipient)),
  };
}

/**
 * What was handed to the provider for a device, rendered once more (R-EV2): exactly that, unless the device has changed meanwhile. "{}" for
 * platforms that no channel serves.
 * @param reportKey what statistics hashes are signed with
 */
export function handedOver(message: KnownMessage, recipient: Recipient, reportKey: KeyObject): string {
  const rendering = renderingOf(message, recipient, reportKey);
  if (!rendering) return '{}';
  return writer.write(rendering.payload, columnsOf(message, recipient), 0, rendering.limit).toString('utf8');
}
