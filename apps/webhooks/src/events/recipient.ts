import { badgeIncrement, definitionOf } from '@tidings/channels';
import { columnsOf, valueOf } from '@tidings/delivery';
import type { EventsEnqueued, ReportedEntry, SendBatch } from '@tidings/events';
import { sendIdOf } from '@tidings/kernel';
import type { DeviceColumns } from '@tidings/messaging';
import type { DeviceDescription } from '@tidings/rpc';
import type { StoredMessage } from '../facts/message-store.ts';

export interface Recipient {
  readonly application: string;
  readonly applicationTitle: string;
  readonly platform: number;
  readonly variant: string;
  readonly entry: ReportedEntry | undefined;
  readonly language: string;
  readonly values: readonly string[];
  readonly columns: DeviceColumns;
  readonly index: number;
}

export function recipientsIn(batch: SendBatch): Recipient[] {
  const columns = columnsOf(batch);
  const { application, applicationTitle, platform, variant, entry } = batch;
  return Array.from({ length: columns.devices }, (_, index) => ({
    application,
    applicationTitle,
    platform,
    variant,
    entry,
    columns,
    index,
    language: batch.languageNames[columns.languages[index]!] ?? '',
    values: Array.from({ length: columns.tags }, (__, tag) => valueOf(columns, index, tag)),
  }));
}

export interface Described {
  readonly device: DeviceDescription;
  readonly position: number;
  readonly values: readonly string[];
  readonly badge?: number | undefined;
}

type Addressed = Pick<EventsEnqueued, 'application' | 'chunk' | 'platform' | 'variant' | 'entry'>;

export function recipientsNow(
  message: StoredMessage,
  of: Addressed,
  { applicationTitle, devices }: { readonly applicationTitle: string; readonly devices: readonly Described[] },
): Recipient[] {
  const { application, platform, variant, entry } = of;
  const columns = columnsNow(message, of, devices);
  return devices.map(({ device: { language }, values }, index) => ({
    application,
    applicationTitle,
    platform,
    variant,
    entry,
    columns,
    language,
    values,
    index,
  }));
}

/** For messages of 0.1.0, whose plans have no badges (R-C9). */
function badgeOf(
  { code, bucket, accepted }: StoredMessage,
  { platform, variant }: Addressed,
  device: DeviceDescription,
): number {
  const increment = badgeIncrement({ platform, variant, content: accepted.content }, device.language);
  if (increment === undefined || device.badgeOf === sendIdOf({ message: code, bucket })) return device.badge;
  return Math.max(0, device.badge + increment);
}

function joined(texts: readonly string[]): { readonly bytes: Buffer; readonly ends: Uint32Array } {
  const bytes = Buffer.from(texts.join(''));
  let end = 0;
  const isAscii = bytes.length === texts.reduce((sum, text) => sum + text.length, 0);
  const ends = Uint32Array.from(texts, (text) => (end += isAscii ? text.length : Buffer.byteLength(text)));
  return { bytes, ends };
}

function columnsNow(message: StoredMessage, of: Addressed, devices: readonly Described[]): DeviceColumns {
  const { chunk, platform } = of;
  const variant = definitionOf(platform)?.variants[of.variant];
  const address = variant?.address;
  const tokens = joined(devices.map(({ device }) => (address ? (device.addresses[address] ?? '') : device.token)));
  const values = joined(devices.flatMap((described) => described.values));
  const checks = new Uint8Array(3 * devices.length);
  devices.forEach(({ device: { check } }, i) => {
    checks[3 * i] = check >>> 16;
    checks[3 * i + 1] = check >>> 8;
    checks[3 * i + 2] = check;
  });
  return {
    chunk,
    platform,
    checks,
    tokens: tokens.bytes,
    tokenEnds: tokens.ends,
    values: values.bytes,
    valueEnds: values.ends,
    tags: devices[0]?.values.length ?? 0,
    positions: Uint16Array.from(devices, ({ position }) => position),
    badges: Int32Array.from(
      devices,
      ({ device, badge }) => badge ?? (variant ? badgeOf(message, of, device) : device.badge),
    ),
  };
}
