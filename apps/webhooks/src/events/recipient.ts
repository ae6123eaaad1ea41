import { badgeIncrement, definitionOf } from '@tidings/channels';
import { columnsOf, valueOf } from '@tidings/delivery';
import type { EventsEnqueued, ReportedEntry, SendBatch } from '@tidings/events';
import { sendIdOf } from '@tidings/kernel';
import type { DeviceColumns } from '@tidings/messaging';
import type { DeviceDescription } from '@tidings/rpc';
import type { KnownMessage } from '../facts/known-messages.ts';

/** A device that a message was sent to, with what its push was rendered from. */
export interface Recipient {
  readonly application: string;
  readonly applicationTitle: string;
  readonly platform: number;
  readonly variant: string;
  /** The entry that the message leaves in inboxes, if any. */
  readonly entry: ReportedEntry | undefined;
  readonly language: string;
  /** The device's values of the content's tags, in order. */
  readonly values: readonly string[];
  /** The device's columns, and its index in them. */
  readonly columns: DeviceColumns;
  readonly index: number;
}

/** The devices in kept columns, each with what the dispatcher rendered its push from. */
export function recipientsIn(batch: SendBatch): Recipient[] {
  const columns = columnsOf(batch);
  const { application, applicationTitle, platform, variant, entry } = batch;
  return Array.from({ length: columns.devices }, (_, index) => ({
    ...{ application, applicationTitle, platform, variant, entry, columns, index },
    language: batch.languageNames[columns.languages[index]!] ?? '',
    values: Array.from({ length: columns.tags }, (__, tag) => valueOf(columns, index, tag)),
  }));
}

/** A device as the registry describes it now. */
export interface Described {
  readonly device: DeviceDescription;
  readonly applicationTitle: string;
  /** The device's values of the content's tags, in order. */
  readonly values: readonly string[];
}

type Addressed = Pick<EventsEnqueued, 'application' | 'chunk' | 'platform' | 'variant' | 'entry'> & {
  readonly position: number;
};

/** A device as it is now: what is known of a push whose values were not kept. */
export function recipientNow(message: KnownMessage, of: Addressed, described: Described): Recipient {
  const { application, platform, variant, entry } = of;
  const { device, applicationTitle, values } = described;
  const columns = columnsNow(message, of, described);
  return {
    ...{ application, applicationTitle, platform, variant, entry, values, columns },
    language: device.language,
    index: 0,
  };
}

/**
 * The badge that the message showed on the device: the device's base if the message is settled there, otherwise the base plus the increment (R-C9).
 */
function badgeOf(
  { code, bucket, accepted }: KnownMessage,
  { platform, variant }: Addressed,
  device: DeviceDescription,
): number {
  const increment = badgeIncrement({ platform, variant, content: accepted.content }, device.language);
  if (increment === undefined || device.badgeOf === sendIdOf({ message: code, bucket })) return device.badge;
  return Math.max(0, device.badge + increment);
}

function columnsNow(message: KnownMessage, of: Addressed, { device, values }: Described): DeviceColumns {
  const { chunk, position, platform } = of;
  // Undefined for a channel that this version does not know.
  const variant = definitionOf(platform)?.variants[of.variant];
  const address = variant?.address;
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
    badges: Int32Array.of(variant ? badgeOf(message, of, device) : device.badge),
  };
}
