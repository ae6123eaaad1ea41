import { fromBase62, type Seq, toBase62 } from '@tidings/kernel';

/** The message that a statistics hash names. */
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
  /** First 24 bits of the device's id: what the gateway compares with the id of the reporting hwid. */
  readonly check: number;
}

export interface StatisticsHash extends HashedMessage {
  /** Undefined where the hash has no fifth part, or one that is not ours: the device is then looked up by its hwid. */
  readonly device: HashedDevice | undefined;
}

const DIGITS = Uint8Array.from('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', (c) =>
  c.charCodeAt(0),
);
const CUBE = 62 ** 3;
const UINT32 = 2 ** 32;
/** Hex digits of the groups of a message code. */
const GROUPS = [4, 8, 8] as const;

/** Length of the longest device part in characters. */
export const DEVICE_PART_MAX = 11;

/** What the hashes of all devices of a message begin with: `P_<campaign>_<message id>_<code>_` (facts 5). */
export function hashPrefix(message: HashedMessage): string {
  const code = message.code.split('-').map((group) => toBase62(BigInt(`0x${group}`)));
  return `P_${toBase62(message.campaignId)}_${toBase62(message.messageId)}_${code.join('-')}_`;
}

/**
 * Writes the fifth part of the hash, base 62 of the 64 bits (seq, platform, check), and returns how many bytes it took, at most
 * {@link DEVICE_PART_MAX}, for which there must be room. It runs once per push, hence neither bigint nor string.
 */
export function writeDevicePart(target: Uint8Array, at: number, seq: Seq, platform: number, check: number): number {
  let high = seq;
  let low = platform * 0x1000000 + check;
  let from = at + DEVICE_PART_MAX;
  do {
    const rest = high % CUBE;
    high = (high - rest) / CUBE;
    const wide = rest * UINT32 + low;
    let three = wide % CUBE;
    low = (wide - three) / CUBE;
    for (let i = 0; i < 3 && from > at; i++) {
      const digit = three % 62;
      three = (three - digit) / 62;
      target[--from] = DIGITS[digit]!;
    }
  } while (high > 0 || low > 0);
  const end = at + DEVICE_PART_MAX;
  while (from < end - 1 && target[from] === DIGITS[0]) from++;
  target.copyWithin(at, from, end);
  return end - from;
}

/** The statistics hash `p` of a message, for one device or for none (R-I30). */
export function buildStatisticsHash(message: HashedMessage, device?: HashedDevice): string {
  const prefix = hashPrefix(message);
  if (!device) return prefix.slice(0, -1);
  const part = new Uint8Array(DEVICE_PART_MAX);
  const length = writeDevicePart(part, 0, device.seq, device.platform, device.check);
  return prefix + String.fromCharCode(...part.subarray(0, length));
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
  const packed = text === undefined ? undefined : fromBase62(text);
  if (packed === undefined || packed >= 1n << 64n) return undefined;
  return {
    seq: Number(packed >> 32n),
    platform: Number((packed >> 24n) & 0xffn),
    check: Number(packed & 0xffffffn),
  };
}

/** What a statistics hash says, or undefined for text that is none (R-C11). The prefix and parts beyond the fifth are ignored (facts 5). */
export function parseStatisticsHash(text: string): StatisticsHash | undefined {
  const [, campaign, message, code, device] = text.split('_', 6);
  if (campaign === undefined || message === undefined || code === undefined) return undefined;
  const campaignId = parseUint64(campaign);
  const messageId = parseUint64(message);
  const parsedCode = parseCode(code);
  if (campaignId === undefined || messageId === undefined || parsedCode === undefined) return undefined;
  return { campaignId, messageId, code: parsedCode, device: parseDevice(device) };
}

function parseUint64(text: string): bigint | undefined {
  const value = fromBase62(text);
  return value !== undefined && value < 1n << 64n ? value : undefined;
}
