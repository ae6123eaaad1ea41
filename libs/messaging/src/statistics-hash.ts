import { fromBase62, type Seq, toBase62 } from '@tidings/kernel';
import { createHmac, type KeyObject } from 'node:crypto';
import { sipHash, type SipKey } from './sip-hash.ts';

/** The message in a statistics hash. */
export interface HashedMessage {
  /** 0 without a campaign. */
  readonly campaignId: bigint;
  readonly messageId: bigint;
  /** Upper-case hex, 4-8-8. */
  readonly code: string;
}

/** The device that a statistics hash was rendered for. */
export interface HashedDevice {
  readonly seq: Seq;
  /** Platform code, below 256. */
  readonly platform: number;
  /** 29 bits that require the key: see {@link macOf}. */
  readonly mac: number;
}

export interface StatisticsHash extends HashedMessage {
  /** Undefined if the hash has no fifth part, a foreign one, or one of an earlier version: it proves nothing about the device. */
  readonly device: HashedDevice | undefined;
}

const DIGITS = Uint8Array.from('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', (c) =>
  c.charCodeAt(0),
);
/** Hex digits of the groups of a message code. */
const GROUPS = [4, 8, 8] as const;

/**
 * Length of the device part in characters: three groups of 23 bits, four digits of base 62 each. An earlier version wrote at most 11, without
 * authentication; the length distinguishes them.
 */
export const DEVICE_PART_LENGTH = 12;
const GROUP_DIGITS = 4;
const GROUP_BITS = 23;
const GROUP_MASK = (1 << GROUP_BITS) - 1;
/** Bits of the mac: of its 29, six are in the second group and 23 in the third. */
const MAC_BITS = 29;
const MAC_HIGH_BITS = MAC_BITS - GROUP_BITS;

/** Signs the device parts of one message in one application. */
export type MessageKey = SipKey;

/** The key of a message's device parts. Derive it once for many devices: it takes as long as dozens of macs. */
export function messageKeyOf(reportKey: KeyObject, application: string, message: HashedMessage): MessageKey {
  const digest = createHmac('sha256', reportKey)
    .update(`${hashPrefix(message)}${application}`)
    .digest();
  return Int32Array.of(digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), digest.readInt32LE(12));
}

/** Binds a report to the hwid (by its check), the seq and the platform of a device, and to the message of the key; 29 bits. */
export const macOf = (key: MessageKey, seq: Seq, platform: number, check: number): number =>
  sipHash(key, seq, (platform << 24) | check) >>> (32 - MAC_BITS);

/** Whether a device part was written for this message and the device of this check, unmodified. */
export const isGenuine = (key: MessageKey, { seq, platform, mac }: HashedDevice, check: number): boolean =>
  macOf(key, seq, platform, check) === mac;

/** The common prefix of the hashes of a message's devices: `P_<campaign>_<message id>_<code>_`. */
export function hashPrefix(message: HashedMessage): string {
  const code = message.code.split('-').map((group) => toBase62(BigInt(`0x${group}`)));
  return `P_${toBase62(message.campaignId)}_${toBase62(message.messageId)}_${code.join('-')}_`;
}

function writeGroup(target: Uint8Array, at: number, group: number): void {
  for (let i = at + GROUP_DIGITS - 1; i >= at; i--) {
    const rest = (group / 62) | 0;
    target[i] = DIGITS[group - rest * 62]!;
    group = rest;
  }
}

/**
 * Writes the fifth part of the hash, the 69 bits (seq, platform, mac), and returns its end: {@link DEVICE_PART_LENGTH} bytes further, which must be
 * available. It runs once per push, hence neither bigint nor string.
 */
export function writeDevicePart(target: Uint8Array, at: number, { seq, platform, mac }: HashedDevice): number {
  writeGroup(target, at, seq >>> 9);
  writeGroup(target, at + GROUP_DIGITS, ((seq & 0x1ff) << 14) | (platform << MAC_HIGH_BITS) | (mac >>> GROUP_BITS));
  writeGroup(target, at + 2 * GROUP_DIGITS, mac & GROUP_MASK);
  return at + DEVICE_PART_LENGTH;
}

/** The statistics hash `p` of a message, for one device or without a device (R-I30). */
export function buildStatisticsHash(message: HashedMessage, device?: HashedDevice): string {
  const prefix = hashPrefix(message);
  return device ? prefix + devicePart(device) : prefix.slice(0, -1);
}

/** The fifth part of the hash as text; see {@link writeDevicePart}. */
export function devicePart(device: HashedDevice): string {
  const part = new Uint8Array(DEVICE_PART_LENGTH);
  writeDevicePart(part, 0, device);
  return String.fromCharCode(...part);
}

function parseCode(text: string): string | undefined {
  const groups = text.split('-');
  if (groups.length !== GROUPS.length) return undefined;
  const hex: string[] = [];
  for (const [i, group] of groups.entries()) {
    const value = fromBase62(group);
    if (value === undefined || value >= 1n << BigInt(GROUPS[i]! * 4)) return undefined;
    hex.push(value.toString(16).toUpperCase().padStart(GROUPS[i]!, '0'));
  }
  return hex.join('-');
}

function parseDevice(text: string | undefined): HashedDevice | undefined {
  if (text?.length !== DEVICE_PART_LENGTH) return undefined;
  const [first, second, third] = [0, 1, 2].map((group) => {
    const value = fromBase62(text.slice(group * GROUP_DIGITS, (group + 1) * GROUP_DIGITS));
    return value !== undefined && value <= GROUP_MASK ? Number(value) : undefined;
  });
  if (first === undefined || second === undefined || third === undefined) return undefined;
  return {
    seq: first * 0x200 + (second >>> 14),
    platform: (second >>> MAC_HIGH_BITS) & 0xff,
    mac: (second & ((1 << MAC_HIGH_BITS) - 1)) * (GROUP_MASK + 1) + third,
  };
}

/** The content of a statistics hash; undefined for other text (R-C11). The prefix and parts beyond the fifth are ignored. */
export function parseStatisticsHash(text: string): StatisticsHash | undefined {
  const [, campaign, message, code, device] = text.split('_', 6);
  if (campaign === undefined || message === undefined || code === undefined) return undefined;
  const campaignId = parseUint64(campaign);
  const messageId = parseUint64(message);
  const parsedCode = parseCode(code);
  if (campaignId === undefined || messageId === undefined || parsedCode === undefined) return undefined;
  return { campaignId, messageId, code: parsedCode, device: parseDevice(device) };
}

/** Separates hash and token in a receipt key. */
export const RECEIPT_SEPARATOR = ' ';

/** The message and the device of a provider's receipt. */
export interface ReceiptKey {
  readonly hash: StatisticsHash;
  readonly token: string;
}

/** The content of a receipt key; undefined for other text. The hash is not checked. */
export function parseReceiptKey(text: string): ReceiptKey | undefined {
  const at = text.indexOf(RECEIPT_SEPARATOR);
  if (at < 0) return undefined;
  const hash = parseStatisticsHash(text.slice(0, at));
  return hash && { hash, token: text.slice(at + RECEIPT_SEPARATOR.length) };
}

function parseUint64(text: string): bigint | undefined {
  const value = fromBase62(text);
  return value !== undefined && value < 1n << 64n ? value : undefined;
}
