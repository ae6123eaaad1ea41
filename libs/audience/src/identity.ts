import { isWhatsAppHwid, phoneNumberOf, Platform, type PlatformCode, whatsAppHwidOf } from '@tidings/kernel';
import { createHmac, hash, type KeyObject } from 'node:crypto';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const SCRATCH_BYTES = 4096;

interface Pads {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const padsOf = new WeakMap<KeyObject, Pads>();

function newPads(key: KeyObject): Pads {
  const bytes = key.export();
  const pad = (value: number, room: number): Buffer => {
    const block = Buffer.alloc(BLOCK_BYTES + room);
    for (let i = 0; i < BLOCK_BYTES; i++) block[i] = (bytes[i] ?? 0) ^ value;
    return block;
  };
  const pads = { inner: pad(0x36, SCRATCH_BYTES), outer: pad(0x5c, DIGEST_BYTES) };
  padsOf.set(key, pads);
  return pads;
}

/** A third of the time of an Hmac object. Keys of up to 64 bytes. */
function hmac(key: KeyObject, text: string): string {
  const { inner, outer } = padsOf.get(key) ?? newPads(key);
  if (text.length * 3 > SCRATCH_BYTES) return createHmac('sha256', key).update(text).digest('base64url');
  const end = BLOCK_BYTES + inner.write(text, BLOCK_BYTES);
  outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'binary');
  return hash('sha256', outer, 'base64url');
}

const lastOf16 = new Map([...BASE64URL].map((character, value) => [character, BASE64URL.charAt(value & 0x30)]));

/** 128 bits of HMAC-SHA-256 over length-prefixed parts, in 22 characters: indexes hold no caller text. */
export function keyedId(key: KeyObject, ...parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${part.length}:${part}`;
  const digest = hmac(key, text);
  return digest.slice(0, 21) + lastOf16.get(digest.charAt(21))!;
}

/** User ids have the same hash as hwids, so the hwid is the default user (R-RES3). */
export const hwidHashOf = (deviceKey: KeyObject, account: string, hwid: string): string =>
  keyedId(deviceKey, account, hwid);

export interface CanonicalContact {
  readonly hwid: string;
  readonly platform: PlatformCode;
}

export function canonicalContact(hwid: string): CanonicalContact | undefined {
  const contact = spelled(hwid);
  return contact.hwid === undefined || contact.hwid === hwid ? undefined : { ...contact, hwid: contact.hwid };
}

function spelled(hwid: string): { readonly hwid: string | undefined; readonly platform: PlatformCode } {
  if (hwid.includes('@')) return { hwid: hwid.toLowerCase(), platform: Platform.Email };
  if (isWhatsAppHwid(hwid)) return { hwid: whatsAppHwidOf(hwid), platform: Platform.WhatsApp };
  return { hwid: phoneNumberOf(hwid), platform: Platform.Sms };
}

export const deviceIdOf = (application: string, hwidHash: string): string => `${application}:${hwidHash}`;

const SIXTETS = new Map([...BASE64URL].map((character, value) => [character, value]));

const sixtet = (hwidHash: string, index: number): number => SIXTETS.get(hwidHash.charAt(index)) ?? 0;

/** 0 to 15, fixed for the lifetime of a deployment. */
export const logOf = (hwidHash: string): number => sixtet(hwidHash, 0) >> 2;

export const deviceLogOf = (hwidHash: string): string => `devices-${logOf(hwidHash)}`;

/** 24 bits, which represent the hwid in statistics hashes. */
export const hwidCheckOf = (hwidHash: string): number =>
  (sixtet(hwidHash, 0) << 18) | (sixtet(hwidHash, 1) << 12) | (sixtet(hwidHash, 2) << 6) | sixtet(hwidHash, 3);
