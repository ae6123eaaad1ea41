import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  isTargetOf,
  LINK_TOKEN_LENGTH,
  linkKeyOf,
  type LinkPurpose,
  type MailRecipient,
  LinkTokens,
  readLinkToken,
  targetMac,
} from './link-token.ts';

const key = linkKeyOf(createSecretKey(new Uint8Array(32).fill(5)));
const otherKey = linkKeyOf(createSecretKey(new Uint8Array(32).fill(6)));
const NOW = Date.UTC(2026, 10, 26, 15, 4, 5, 678);
const recipient: MailRecipient = {
  application: 'A1B2C-3D4E5',
  message: 'AF0B-EEFE4D5E-E445B2E9',
  messageId: 20_012_343_258n,
  seq: 70_000,
  writtenAt: NOW,
};

function tokenOf(given: MailRecipient = recipient, purpose: LinkPurpose = 'tracking'): string {
  const tokens = new LinkTokens(key, given, { now: () => given.writtenAt });
  const target = Buffer.alloc(LINK_TOKEN_LENGTH + 2);
  expect(tokens.write(target, 1, purpose, given.seq)).toBe(LINK_TOKEN_LENGTH + 1);
  return target.toString('latin1', 1, LINK_TOKEN_LENGTH + 1);
}

const hex = (length: number) =>
  fc.array(fc.constantFrom(...'0123456789ABCDEF'), { minLength: length, maxLength: length }).map((all) => all.join(''));
const recipients: fc.Arbitrary<MailRecipient> = fc.record({
  application: fc.tuple(hex(5), hex(5)).map((groups) => groups.join('-')),
  message: fc.tuple(hex(4), hex(8), hex(8)).map((groups) => groups.join('-')),
  messageId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  seq: fc.nat(2 ** 32 - 1),
  writtenAt: fc.nat(2 ** 48 - 1),
});

describe('a link token', () => {
  it('contains its recipient', () => {
    fc.assert(
      fc.property(recipients, fc.constantFrom<LinkPurpose>('tracking', 'preferences'), (given, purpose) => {
        expect(readLinkToken(key, purpose, tokenOf(given, purpose))).toEqual(given);
      }),
    );
  });

  it('permits nothing but its purpose', () => {
    expect(readLinkToken(key, 'preferences', tokenOf(recipient, 'tracking'))).toBeUndefined();
    expect(readLinkToken(key, 'tracking', tokenOf(recipient, 'preferences'))).toBeUndefined();
  });

  it('is invalid once any character differs, is missing or is added', () => {
    const token = tokenOf();
    const other = (character: string): string => (character === 'A' ? 'B' : 'A');
    for (let i = 0; i < token.length; i++) {
      const changed = token.slice(0, i) + other(token[i]!) + token.slice(i + 1);
      expect(readLinkToken(key, 'tracking', changed)).toBeUndefined();
      expect(readLinkToken(key, 'tracking', token.slice(0, i))).toBeUndefined();
    }
    for (const changed of [`${token}A`, `${token}=`, ` ${token}`, '', 'x'.repeat(LINK_TOKEN_LENGTH)])
      expect(readLinkToken(key, 'tracking', changed)).toBeUndefined();
  });

  it('proves nothing with the fields of another recipient', () => {
    const [mine, other] = [tokenOf(), tokenOf({ ...recipient, seq: 70_001 })].map((token) =>
      Buffer.from(token, 'base64url'),
    );
    const swapped = Buffer.concat([other!.subarray(0, 33), mine!.subarray(33)]).toString('base64url');
    expect(readLinkToken(key, 'tracking', swapped)).toBeUndefined();
  });

  it('belongs to one deployment', () => {
    expect(readLinkToken(otherKey, 'tracking', tokenOf())).toBeUndefined();
  });

  it('contains the time of each mail, also of the next one to the same recipient', () => {
    let now = NOW;
    const tokens = new LinkTokens(key, recipient, { now: () => now });
    const write = (): string => {
      const target = Buffer.alloc(LINK_TOKEN_LENGTH);
      tokens.write(target, 0, 'tracking', recipient.seq);
      return target.toString('latin1');
    };
    const first = write();
    now += 1000;
    expect(write()).toBe(first);
    tokens.begin();
    expect(readLinkToken(key, 'tracking', write())?.writtenAt).toBe(NOW + 1000);
  });
});

describe('the target of a link', () => {
  const target = 'https://shop.example/?a=1&b=2#c';
  const mac = targetMac(key, recipient, target);

  it('is that which was signed for the message', () => {
    expect(isTargetOf(key, recipient, { target, mac })).toBe(true);
    expect(isTargetOf(key, recipient, { target: `${target}x`, mac })).toBe(false);
    expect(isTargetOf(key, recipient, { target: 'https://evil.example/', mac })).toBe(false);
    expect(isTargetOf(key, { ...recipient, message: 'AF0B-EEFE4D5E-E445B2E8' }, { target, mac })).toBe(false);
    expect(isTargetOf(key, { ...recipient, application: 'A1B2C-3D4E6' }, { target, mac })).toBe(false);
    expect(isTargetOf(otherKey, recipient, { target, mac })).toBe(false);
    for (const wrong of ['', mac.slice(1), `${mac}A`, 'ü'.repeat(mac.length)])
      expect(isTargetOf(key, recipient, { target, mac: wrong })).toBe(false);
  });
});
