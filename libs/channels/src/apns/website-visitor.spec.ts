import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { authenticationTokenOf, visitorIn } from './website-visitor.ts';

const APPLICATION = 'A1B2C-3D4E5';
const headerOf = (token: string): string => `ApplePushNotifications ${token}`;

it('a visitor is found in the token that names it, which is long enough for Safari and fits a header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      const hwid = text.toWellFormed();
      const token = authenticationTokenOf(APPLICATION, { hwid });
      expect(token).toMatch(/^[\w.-]{16,}$/);
      expect(visitorIn(headerOf(token), APPLICATION)).toEqual({ hwid });
    }),
  );
});

it('visitors without a device share the token of their application', () => {
  const token = authenticationTokenOf(APPLICATION, { hwid: undefined });
  expect(token).toMatch(/^[0-9a-f]{32}$/);
  expect(visitorIn(`applepushnotifications  ${token}`, APPLICATION)).toEqual({ hwid: undefined });
  expect(visitorIn(headerOf(token), 'B1B2C-3D4E5')).toBeUndefined();
});

it.each([undefined, '', 'ApplePushNotifications', 'ApplePushNotifications a b', 'Token abc', headerOf('abc')])(
  'the header %j names nobody',
  (header) => expect(visitorIn(header, APPLICATION)).toBeUndefined(),
);
