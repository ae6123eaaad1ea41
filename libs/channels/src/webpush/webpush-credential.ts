import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto';
import { Fault, Platform } from '@tidings/kernel';
import type { CredentialDefinition } from '../credential-definition.ts';
import { localResults } from '../send-results.ts';

export interface WebPushCredential {
  readonly key: KeyObject;
  readonly publicKey: string;
}

interface KeyNames {
  readonly publicKey: string;
  readonly privateKey: string;
}

const SCALAR_BYTES = 32;
const POINT = { x: 1, y: 33, end: 65 } as const;

const names: Readonly<Partial<Record<number, KeyNames>>> = {
  [Platform.Chrome]: { publicKey: 'chrome_vapid_key', privateKey: 'chrome_vapid_private_key' },
  [Platform.Firefox]: { publicKey: 'firefox_vapid_key', privateKey: 'firefox_vapid_private_key' },
};

function namesOf(platform: number): KeyNames {
  const found = names[platform];
  if (!found) throw Fault.bug(`platform ${platform} has no VAPID keys`);
  return found;
}

/** Big-integer libraries drop leading zeros, or add one. */
function scalarOf(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.alloc(0) : bytes.subarray(first);
  return Buffer.concat([Buffer.alloc(Math.max(0, SCALAR_BYTES - digits.length)), digits]);
}

const bytesOf = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64');

export const webPushCredential: CredentialDefinition<WebPushCredential> = {
  requiredFor(platform) {
    const { publicKey, privateKey } = namesOf(platform);
    return [publicKey, privateKey];
  },

  async read({ platform, settings }) {
    const { publicKey: publicName, privateKey: privateName } = namesOf(platform);
    const scalar = scalarOf(bytesOf(settings.get(privateName)));
    if (scalar.length !== SCALAR_BYTES) return localResults.unusableKey;
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(scalar);
    const point = ecdh.getPublicKey();
    if (!point.equals(bytesOf(settings.get(publicName)))) return localResults.mismatchedKey;
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      d: scalar.toString('base64url'),
      x: point.toString('base64url', POINT.x, POINT.y),
      y: point.toString('base64url', POINT.y, POINT.end),
    };
    return { key: createPrivateKey({ format: 'jwk', key: jwk }), publicKey: point.toString('base64url') };
  },

  identityOf: ({ publicKey }) => [publicKey],
};
