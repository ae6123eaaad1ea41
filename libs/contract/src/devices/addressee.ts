import { hwid, userId } from '../fields/device.ts';
import { optionalUnless } from '../presence.ts';
import { optional } from '../values.ts';

/** One is required, and the hwid takes precedence (R-C6). */
export const addressee = {
  hwid: optionalUnless(hwid, (request) =>
    (request['hwid'] ?? null) === null && (request['userId'] ?? null) === null ? 'hwid' : undefined,
  ).describe('The device. Required without `userId`, and takes precedence over it.'),
  userId: optional(userId).describe('Selects the devices of this user if `hwid` is left out.'),
};
