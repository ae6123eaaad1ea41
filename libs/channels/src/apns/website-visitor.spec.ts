import { createSecretKey } from 'node:crypto';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { authenticationTokenOf, visitorIn, visitorKeyOf } from './website-visitor.ts';

const key = visitorKeyOf(createSecretKey(Buffer.alloc(32)));
const otherKey = visitorKeyOf(createSecretKey(Buffer.alloc(32, 1)));
const APPLICATION = 'A1B2C-3D4E5';
const headerOf = (token: string): string => `ApplePushNotifications ${token}`;

it('a visitor is found in its token, which is long enough for Safari and fits a header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      const hwid = text.toWellFormed();
      const token = authenticationTokenOf(key, APPLICATION, { hwid });
      expect(token).toMatch(/^[\w.-]{16,}$/);
      expect(visitorIn(key, headerOf(token), APPLICATION)).toEqual({ hwid, isSigned: true });
    }),
  );
});

it('visitors without a device share the token of their application', () => {
  const token = authenticationTokenOf(key, APPLICATION, { hwid: undefined });
  expect(visitorIn(key, `applepushnotifications  ${token}`, APPLICATION)).toEqual({ hwid: undefined, isSigned: true });
});

it('a token is signed for its device and its application', () => {
  const token = authenticationTokenOf(key, APPLICATION, { hwid: 'a' });
  const other = authenticationTokenOf(key, APPLICATION, { hwid: 'b' });
  expect(visitorIn(key, headerOf(token), 'B1B2C-3D4E5')).toBeUndefined();
  expect(visitorIn(otherKey, headerOf(token), APPLICATION)).toBeUndefined();
  const forged = [...token.split('.').slice(0, -1), other.split('.').at(-1)].join('.');
  expect(visitorIn(key, headerOf(forged), APPLICATION)).toBeUndefined();
  const unsigned = token.split('.').slice(0, -1).join('.');
  expect(visitorIn(key, headerOf(unsigned), APPLICATION)).toEqual({ hwid: 'a', isSigned: false });
});

it.each([undefined, '', 'ApplePushNotifications', 'ApplePushNotifications a b', 'Token abc', headerOf('abc')])(
  'the header %j names no visitor',
  (header) => expect(visitorIn(key, header, APPLICATION)).toBeUndefined(),
);
