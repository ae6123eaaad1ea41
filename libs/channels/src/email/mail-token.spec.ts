import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  MAIL_TOKEN_LENGTH,
  type MailReference,
  mailTokenKeyOf,
  mailTokens,
  parseMailToken,
  returnPathOf,
  tokenInReturnPath,
} from './mail-token.ts';

const keyOf = (byte: number) => mailTokenKeyOf(createSecretKey(new Uint8Array(32).fill(byte)));
const key = keyOf(1);
const tokenOf = ({ seq, ...mailing }: MailReference): string => mailTokens(key, mailing)(seq);

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789ABCDEF'), minLength: length, maxLength: length });
const codeOf = (...groups: readonly number[]) => fc.tuple(...groups.map(digits)).map((parts) => parts.join('-'));
const uint32 = fc.nat({ max: 0xffff_ffff });
const references: fc.Arbitrary<MailReference> = fc.record({
  message: codeOf(4, 8, 8),
  messageId: fc.bigInt({ min: 0n, max: 2n ** 53n - 1n }),
  application: codeOf(5, 5),
  sentAt: uint32,
  seq: uint32,
});

describe('the token of a mail', () => {
  it('names the mail, in any case, and fits into a local part', () => {
    fc.assert(
      fc.property(references, fc.boolean(), (reference, isUpper) => {
        const token = tokenOf(reference);
        expect(token).toMatch(/^[a-z2-7]+$/);
        expect(token).toHaveLength(MAIL_TOKEN_LENGTH);
        expect(parseMailToken(key, isUpper ? token.toUpperCase() : token)).toEqual(reference);
        const [local] = returnPathOf(token, 'bounces.example').split('@');
        expect(local!.length).toBeLessThanOrEqual(64);
        expect(tokenInReturnPath(isUpper ? local!.toUpperCase() : local!)?.toLowerCase()).toBe(token);
      }),
    );
  });

  it('is invalid if a character differs, or with another key', () => {
    fc.assert(
      fc.property(
        references,
        fc.nat({ max: MAIL_TOKEN_LENGTH - 1 }),
        fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz234567-0189=é'),
        (reference, at, other) => {
          const token = tokenOf(reference);
          fc.pre(token[at] !== other);
          expect(parseMailToken(key, token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
          expect(parseMailToken(keyOf(2), token)).toBeUndefined();
        },
      ),
    );
  });

  it('is not read from other texts', () => {
    const local = fc.string({ unit: fc.constantFrom(...'abz27-B.@'), maxLength: 70 });
    fc.assert(fc.property(fc.oneof(local, fc.string()), (text) => expect(parseMailToken(key, text)).toBeUndefined()));
    for (const other of ['', 'b', 'postmaster', 'c-abc']) expect(tokenInReturnPath(other)).toBeUndefined();
  });
});
