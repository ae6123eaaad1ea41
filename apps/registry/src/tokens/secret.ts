import { createHmac, type KeyObject } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { AccessScope } from '@tidings/events/generated/tidings/events/v1/accounts';
import { randomBase62, toBase62 } from '@tidings/kernel';

/** 196 random bits in base 62. */
const RANDOM_LENGTH = 33;
const CHECKSUM_LENGTH = 6;

const prefixes: Readonly<Record<AccessScope, string>> = {
  [AccessScope.ACCESS_SCOPE_UNSPECIFIED]: 'tdx_',
  [AccessScope.ACCESS_SCOPE_API]: 'tda_',
  [AccessScope.ACCESS_SCOPE_DEVICE]: 'tdd_',
};

const FORM = new RegExp(`^td[ad]_[0-9a-zA-Z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

const checksum = (text: string): string => toBase62(crc32(text)).padStart(CHECKSUM_LENGTH, '0');

/** The checksum lets leak scanners recognize a token. */
export function newSecret(scope: AccessScope): string {
  const text = prefixes[scope] + randomBase62(RANDOM_LENGTH);
  return text + checksum(text);
}

export const isSecret = (text: string): boolean =>
  FORM.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));

/** The id is the first half of the stored hash. */
export function fingerprint(key: KeyObject, secret: string): { readonly id: string; readonly hash: Buffer } {
  const hash = createHmac('sha256', key).update(secret).digest();
  return { id: hash.toString('base64url', 0, 16), hash };
}
