import { createECDH, type ECDH, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decrypt } from 'http_ece';
import { PLAINTEXT_LIMIT, WebPushEncryption } from './webpush-encryption.ts';

interface Browser {
  readonly ecdh: ECDH;
  readonly keys: { readonly publicKey: Buffer; readonly authSecret: Buffer };
}

function browser(): Browser {
  const ecdh = createECDH('prime256v1');
  return { ecdh, keys: { publicKey: ecdh.generateKeys(), authSecret: randomBytes(16) } };
}

const read = ({ ecdh, keys }: Browser, body: Buffer): Buffer =>
  decrypt(body, { version: 'aes128gcm', privateKey: ecdh, authSecret: keys.authSecret });

const base64url = (text: string): Buffer => Buffer.from(text, 'base64url');

describe('the encryption of a web push', () => {
  it('has the result of RFC 8291, section 5', () => {
    const encryption = new WebPushEncryption({
      privateKey: base64url('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
      salt: base64url('DGv6ra1nlYgDCS1FRnbzlw'),
    });
    const keys = {
      publicKey: base64url('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
      authSecret: base64url('BTBZMqHH6r4Tts7J_aSIgg'),
    };
    const body = encryption.encrypt(Buffer.from('When I grow up, I want to be a watermelon'), keys);
    expect(body?.toString('base64url')).toBe(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    );
  });

  it('is read by an independent implementation, for any plaintext', () => {
    const encryption = new WebPushEncryption();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: PLAINTEXT_LIMIT, size: 'max' }), (plaintext) => {
        const reader = browser();
        const body = encryption.encrypt(plaintext, reader.keys)!;
        expect(read(reader, body).equals(plaintext)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('gives at most the 4,096 bytes that push services accept', () => {
    const body = new WebPushEncryption().encrypt(Buffer.alloc(PLAINTEXT_LIMIT, 'x'), browser().keys);
    expect(body).toHaveLength(4096);
  });

  it('has another salt in every body of a key pair', () => {
    const encryption = new WebPushEncryption();
    const { keys } = browser();
    const bodies = Array.from({ length: 1000 }, () => encryption.encrypt(Buffer.from('same'), keys)!);
    expect(new Set(bodies.map((body) => body.toString('base64', 0, 16))).size).toBe(1000);
    expect(new Set(bodies.map((body) => body.toString('base64', 86))).size).toBe(1000);
  });

  it('has another key pair in every batch', () => {
    const keyIds = Array.from({ length: 3 }, () =>
      new WebPushEncryption().encrypt(Buffer.from('same'), browser().keys)!.toString('base64', 21, 86),
    );
    expect(new Set(keyIds).size).toBe(3);
  });

  it.each([
    ['of no point on the curve', (key: Buffer) => key.fill(7, 33)],
    ['at infinity', (key: Buffer) => key.fill(0)],
    ['in compressed form', (key: Buffer) => Buffer.concat([Buffer.of(2), key.subarray(1, 33)])],
    ['that are too short', (key: Buffer) => key.subarray(0, 64)],
    ['that are empty', () => Buffer.alloc(0)],
  ])('refuses keys %s', (_, change) => {
    const { keys } = browser();
    const publicKey = change(Buffer.from(keys.publicKey));
    expect(new WebPushEncryption().encrypt(Buffer.from('x'), { ...keys, publicKey })).toBeUndefined();
  });

  it.each([0, 15, 17, 65])('refuses an authentication secret of %i bytes', (length) => {
    const { keys } = browser();
    expect(
      new WebPushEncryption().encrypt(Buffer.from('x'), { ...keys, authSecret: Buffer.alloc(length) }),
    ).toBeUndefined();
  });
});
