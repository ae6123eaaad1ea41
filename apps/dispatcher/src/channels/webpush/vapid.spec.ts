import { createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { TestClock } from '@tidings/testing';
import { Vapid } from './vapid.ts';

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = createPrivateKey(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
const HOUR = 3600;

const vapidAt = (clock: TestClock, subject?: string): Vapid =>
  new Vapid({ credential: { key, publicKey: 'BPublic' }, subject, clock });
const claimsOf = (authorization: string): Record<string, unknown> => {
  const [, claims] = /^vapid t=[\w-]+\.([\w-]+)\.[\w-]+, k=BPublic$/.exec(authorization)!;
  return JSON.parse(Buffer.from(claims!, 'base64url').toString()) as Record<string, unknown>;
};

describe('a VAPID token', () => {
  it('names its push service, its end within 12 hours and the contact of the operator', () => {
    const clock = new TestClock();
    const authorization = vapidAt(clock, 'mailto:ops@example.com').authorizationFor('https://push.example');
    const exp = clock.now() / 1000 + 12 * HOUR;
    expect(claimsOf(authorization)).toEqual({ aud: 'https://push.example', exp, sub: 'mailto:ops@example.com' });
    const [, signed, signature] = /^vapid t=([\w-]+\.[\w-]+)\.([\w-]+),/.exec(authorization)!;
    const options = {
      key: createPublicKey(pair.publicKey.export({ type: 'spki', format: 'pem' })),
      dsaEncoding: 'ieee-p1363' as const,
    };
    expect(verify('sha256', Buffer.from(signed!), options, Buffer.from(signature!, 'base64url'))).toBe(true);
    expect(claimsOf(vapidAt(clock).authorizationFor('https://push.example'))).not.toHaveProperty('sub');
  });

  it('is signed once for a push service, until an hour before its end', () => {
    const clock = new TestClock();
    const vapid = vapidAt(clock);
    const first = vapid.authorizationFor('https://push.example');
    clock.advance(11 * HOUR - 1);
    expect(vapid.authorizationFor('https://push.example')).toBe(first);
    clock.advance(1);
    const second = vapid.authorizationFor('https://push.example');
    expect(second).not.toBe(first);
    expect(vapid.authorizationFor('https://push.example')).toBe(second);
  });

  it('is cached for 256 push services at most, and the oldest one is removed', () => {
    const vapid = vapidAt(new TestClock());
    const of = (n: number): string => vapid.authorizationFor(`https://push-${n}.example`);
    const signed = Array.from({ length: 256 }, (_, n) => of(n));
    expect(of(255)).toBe(signed[255]);
    of(256);
    for (const n of [1, 128, 255]) expect(of(n)).toBe(signed[n]);
    // ECDSA signs the same text differently each time.
    expect(of(0)).not.toBe(signed[0]);
  });
});
