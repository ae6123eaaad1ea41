import {
  badgeIncrement,
  type ChannelPayload,
  definitionOf,
  definitionServing,
  type Push,
  variantOf,
} from '@tidings/channels';
import type { ReportedEntry } from '@tidings/events';
import { sendIdOf } from '@tidings/kernel';
import { type DeviceColumns, messageKeyOf, PayloadWriter } from '@tidings/messaging';
import type { DeviceDescription } from '@tidings/rpc';
import type { KeyObject } from 'node:crypto';
import type { KnownMessage } from '../facts/known-messages.ts';

/** A device that a message was sent to. */
export interface Recipient {
  readonly application: string;
  readonly applicationTitle: string;
  readonly chunk: number;
  readonly position: number;
  readonly platform: number;
  readonly variant: string;
  /** The entry that the message leaves in inboxes, if any. */
  readonly entry: ReportedEntry | undefined;
  readonly device: DeviceDescription;
  /** The device's values of the content's tags, in order. */
  readonly values: readonly string[];
}

const writer = new PayloadWriter();
/** Compiled content per application, kind of push and language; released with the message. */
const compiled = new WeakMap<KnownMessage, Map<string, ChannelPayload>>();

const pushOf = (
  { code, bucket, id, accepted }: KnownMessage,
  { platform, variant, applicationTitle, entry }: Recipient,
): Push => ({
  ...{ platform, variant, applicationTitle, entry },
  message: code,
  bucket,
  messageId: id,
  campaignId: accepted.campaignId,
  content: accepted.content,
});

function payloadOf(message: KnownMessage, recipient: Recipient, reportKey: KeyObject): ChannelPayload {
  const { application, platform, variant, entry } = recipient;
  const { language } = recipient.device;
  const payloads = compiled.get(message) ?? new Map<string, ChannelPayload>();
  compiled.set(message, payloads);
  const name = `${application}/${platform}/${variant}/${entry?.removal ?? ''}/${language}`;
  const known = payloads.get(name);
  if (known) return known;
  const { code, id: messageId, accepted } = message;
  const key = messageKeyOf(reportKey, application, { code, messageId, campaignId: accepted.campaignId });
  const payload = definitionServing(recipient).compile(pushOf(message, recipient), language, key);
  payloads.set(name, payload);
  return payload;
}

/**
 * The badge that the message showed on the device: the device's base if the message is settled there, otherwise the base plus the increment (R-C9).
 */
function badgeOf({ code, bucket, accepted }: KnownMessage, { platform, variant, device }: Recipient): number {
  const increment = badgeIncrement({ platform, variant, content: accepted.content }, device.language);
  if (increment === undefined || device.badgeOf === sendIdOf({ message: code, bucket })) return device.badge;
  return Math.max(0, device.badge + increment);
}

function columnsOf(message: KnownMessage, recipient: Recipient): DeviceColumns {
  const { chunk, position, platform, device, values } = recipient;
  const { address } = variantOf(recipient);
  const tokens = Buffer.from(address ? (device.addresses[address] ?? '') : device.token);
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
 * Renders the payload sent to the provider for a device again (R-EV2): identical unless the device has changed since. "{}" for kinds of pushes that
 * this version does not know.
 * @param reportKey signs statistics hashes
 */
export function handedOver(message: KnownMessage, recipient: Recipient, reportKey: KeyObject): string {
  if (!definitionOf(recipient.platform)?.variants[recipient.variant]) return '{}';
  const { payload, limit } = payloadOf(message, recipient, reportKey);
  return writer.write(payload, columnsOf(message, recipient), 0, limit).toString('utf8');
}
