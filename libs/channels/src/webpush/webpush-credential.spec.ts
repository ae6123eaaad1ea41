import { createECDH, sign, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Platform } from '@tidings/kernel';
import { type KeyOpener, readCredential } from '../credential-definition.ts';
import { webPushCredential } from './webpush-credential.ts';

const opener: KeyOpener = {
  file: () => Promise.reject(new Error('no files')),
  key: () => {
    throw new Error('no PEM');
  },
};

function pair(): { readonly publicKey: Buffer; readonly privateKey: Buffer } {
  const ecdh = createECDH('prime256v1');
  const publicKey = ecdh.generateKeys();
  const scalar = ecdh.getPrivateKey();
  // ECDH leaves out leading zeros.
  return { publicKey, privateKey: Buffer.concat([Buffer.alloc(32 - scalar.length), scalar]) };
}

const read = (publicKey: string, privateKey: string, browser = 'chrome') =>
  readCredential(
    webPushCredential,
    {
      platform: browser === 'chrome' ? Platform.Chrome : Platform.Firefox,
      settings: new Map([
        [`${browser}_vapid_key`, publicKey],
        [`${browser}_vapid_private_key`, privateKey],
      ]),
    },
    opener,
  );

describe('a VAPID key pair', () => {
  const { publicKey, privateKey } = pair();

  it.each([
    ['chrome', 'base64url'],
    ['chrome', 'base64'],
    ['firefox', 'base64url'],
  ] as const)('is read for %s in %s, and signs', async (browser, encoding) => {
    const credential = await read(publicKey.toString(encoding), privateKey.toString(encoding), browser);
    if ('category' in credential) throw new Error(credential.name);
    expect(credential.publicKey).toBe(publicKey.toString('base64url'));
    const signature = sign('sha256', Buffer.from('x'), credential.key);
    expect(verify('sha256', Buffer.from('x'), credential.key, signature)).toBe(true);
    expect(webPushCredential.identityOf(credential)).toEqual([credential.publicKey]);
  });

  it.each([
    ['whose halves do not belong together', pair().publicKey, privateKey, 'mismatched_key'],
    ['whose private key is too short', publicKey, Buffer.from('foo'), 'mismatched_key'],
    ['whose private key is too long', publicKey, Buffer.concat([Buffer.of(1), privateKey]), 'unusable_key'],
    ['whose private key is no scalar', publicKey, Buffer.alloc(32), 'unusable_key'],
    ['whose public key is cut', publicKey.subarray(0, 64), privateKey, 'mismatched_key'],
  ])('is unusable %s', async (_, wrongPublic, wrongPrivate, name) => {
    expect(await read(wrongPublic.toString('base64url'), wrongPrivate.toString('base64url'))).toMatchObject({ name });
  });

  it.each([1, 2])('may lack %i leading zeros of its private key, or have one more', async (zeros) => {
    const scalar = Buffer.concat([Buffer.alloc(zeros), Buffer.alloc(32 - zeros, 7)]);
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(scalar);
    for (const form of [scalar, scalar.subarray(zeros), Buffer.concat([Buffer.of(0), scalar])]) {
      const credential = await read(ecdh.getPublicKey().toString('base64url'), form.toString('base64url'));
      if ('category' in credential) throw new Error(credential.name);
      expect(verify('sha256', Buffer.from('x'), credential.key, sign('sha256', Buffer.from('x'), credential.key))).toBe(
        true,
      );
    }
  });

  it('is not configured if a half is missing', async () => {
    expect(await read(publicKey.toString('base64url'), '')).toMatchObject({ name: 'not_configured' });
  });
});
