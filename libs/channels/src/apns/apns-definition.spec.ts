import { expect, it } from '@jest/globals';
import { apns } from './apns-definition.ts';

it.each(['<C0FFEE00 c0ffee00>', ' c0ffee00\tC0FFEE00\n', 'c0ffee00c0ffee00'])(
  'a device token %j is stored in lower case, without the signs of the description of NSData (R-RES2)',
  (token) => expect(apns.tokenText(token)).toBe('c0ffee00c0ffee00'),
);
