import { hwid, userId } from '../fields/device.ts';
import { optionalUnless } from '../presence.ts';
import { optional } from '../values.ts';

/** `hwid` or `userId`; one is required and the hwid takes precedence (R-C6). */
export const addressee = {
  hwid: optionalUnless(hwid, (request) =>
    (request['hwid'] ?? null) === null && (request['userId'] ?? null) === null ? 'hwid' : undefined,
  ),
  userId: optional(userId),
};
