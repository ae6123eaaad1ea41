import { fromBase62, type Seq, toBase62 } from '@tidings/kernel';
import { createHmac, type KeyObject } from 'node:crypto';
import { sipHash, type SipKey } from './sip-hash.ts';

export interface HashedMessage {
  readonly campaignId: bigint;
  readonly messageId: bigint;
  readonly code: string;
}

export interface HashedDevice {
  readonly seq: Seq;
  readonly platform: number;
  readonly mac: number;
}

export interface StatisticsHash extends HashedMessage {
  /** Undefined proves nothing about the device. */
  readonly device: HashedDevice | undefined;
}

const DIGITS = Uint8Array.from('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', (c) =>
  c.charCodeAt(0),
);
const GROUPS = [4, 8, 8] as const;

/** Version 0.1 wrote at most 11 characters, unauthenticated. */
export const DEVICE_PART_LENGTH = 12;
const GROUP_DIGITS = 4;
const GROUP_BITS = 23;
const GROUP_MASK = (1 << GROUP_BITS) - 1;
const MAC_BITS = 29;
const MAC_HIGH_BITS = MAC_BITS - GROUP_BITS;

export type MessageKey = SipKey;

/** Costs as much as dozens of macs: derive it once per message. */
export function messageKeyOf(reportKey: KeyObject, application: string, message: HashedMessage): MessageKey {
  const digest = createHmac('sha256', reportKey)
    .update(`${hashPrefix(message)}${application}`)
    .digest();
  return Int32Array.of(digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), digest.readInt32LE(12));
}

/** The mac binds a report to its device and message. */
export const macOf = (key: MessageKey, seq: Seq, platform: number, check: number): number =>
  sipHash(key, seq, (platform << 24) | check) >>> (32 - MAC_BITS);

export const isGenuine = (key: MessageKey, { seq, platform, mac }: HashedDevice, check: number): boolean =>
  macOf(key, seq, platform, check) === mac;

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

/** Runs once per push, hence neither bigint nor string. */
export function writeDevicePart(target: Uint8Array, at: number, { seq, platform, mac }: HashedDevice): number {
  writeGroup(target, at, seq >>> 9);
  writeGroup(target, at + GROUP_DIGITS, ((seq & 0x1ff) << 14) | (platform << MAC_HIGH_BITS) | (mac >>> GROUP_BITS));
  writeGroup(target, at + 2 * GROUP_DIGITS, mac & GROUP_MASK);
  return at + DEVICE_PART_LENGTH;
}

export function buildStatisticsHash(message: HashedMessage, device?: HashedDevice): string {
  const prefix = hashPrefix(message);
  return device ? prefix + devicePart(device) : prefix.slice(0, -1);
}

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

export function parseStatisticsHash(text: string): StatisticsHash | undefined {
  const [, campaign, message, code, device] = text.split('_', 6);
  if (campaign === undefined || message === undefined || code === undefined) return undefined;
  const campaignId = parseUint64(campaign);
  const messageId = parseUint64(message);
  const parsedCode = parseCode(code);
  if (campaignId === undefined || messageId === undefined || parsedCode === undefined) return undefined;
  return { campaignId, messageId, code: parsedCode, device: parseDevice(device) };
}

export const RECEIPT_SEPARATOR = ' ';

export interface ReceiptKey {
  readonly hash: StatisticsHash;
  readonly token: string;
}

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
