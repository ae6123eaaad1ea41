import { type ChannelPayload, definitionOf, relativeBadge } from '@tidings/channels';
import { sendIdOf } from '@tidings/kernel';
import { type DeviceColumns, messageKeyOf, type OutgoingMessage, PayloadWriter } from '@tidings/messaging';
import type { DeviceDescription } from '@tidings/rpc';
import type { KeyObject } from 'node:crypto';
import type { KnownMessage } from '../facts/known-messages.ts';

/** A device that a message was sent to. */
export interface Recipient {
  readonly application: string;
  readonly chunk: number;
  readonly position: number;
  readonly platform: number;
  readonly device: DeviceDescription;
  /** The device's values of the content's tags, in order. */
  readonly values: readonly string[];
}

const writer = new PayloadWriter();
/** Compiled content per application, platform and language; released with the message. */
const compiled = new WeakMap<KnownMessage, Map<string, ChannelPayload | undefined>>();

const outgoing = ({ code, bucket, id, accepted }: KnownMessage): OutgoingMessage => ({
  message: code,
  bucket,
  messageId: id,
  campaignId: accepted.campaignId,
  content: accepted.content,
});

function payloadOf(message: KnownMessage, recipient: Recipient, reportKey: KeyObject): ChannelPayload | undefined {
  const { application, platform } = recipient;
  const { language } = recipient.device;
  const payloads = compiled.get(message) ?? new Map<string, ChannelPayload | undefined>();
  compiled.set(message, payloads);
  const name = `${application}/${platform}/${language}`;
  if (!payloads.has(name)) {
    const { code, id: messageId, accepted } = message;
    const key = messageKeyOf(reportKey, application, { code, messageId, campaignId: accepted.campaignId });
    payloads.set(name, definitionOf(platform)?.compile(outgoing(message), language, key));
  }
  return payloads.get(name);
}

/**
 * The badge that the message showed on the device: the device's base if the message is settled there, otherwise the base plus the increment (R-C9).
 */
function badgeOf({ code, bucket, accepted }: KnownMessage, { platform, device }: Recipient): number {
  const increment = relativeBadge(definitionOf(platform)?.badgeOf(accepted.content));
  if (increment === undefined || device.badgeOf === sendIdOf({ message: code, bucket })) return device.badge;
  return Math.max(0, device.badge + increment);
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
 * Renders the payload sent to the provider for a device again (R-EV2): identical unless the device has changed since. "{}" for platforms without a
 * channel.
 * @param reportKey signs statistics hashes
 */
export function handedOver(message: KnownMessage, recipient: Recipient, reportKey: KeyObject): string {
  const found = payloadOf(message, recipient, reportKey);
  if (!found) return '{}';
  return writer.write(found.payload, columnsOf(message, recipient), 0, found.limit).toString('utf8');
}
