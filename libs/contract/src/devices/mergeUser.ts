import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { userId } from '../fields/device.ts';
import { optionalUnless } from '../presence.ts';
import { boolean, nothing, object, optional } from '../values.ts';

/**
 * Gives a user's devices to another one, who also gets the tags that he lacks; with `merge` false the old user merely ends, and his
 * devices are nobody's but their own, so nobody need be named (R-X2). Repeating it changes nothing.
 */
export const mergeUser = json13('mergeUser', {
  scope: 'device',
  input: object({
    application: applicationCode,
    oldUserId: userId,
    newUserId: optionalUnless(userId, ({ newUserId, merge }) =>
      (newUserId ?? null) === null && boolean.safeParse(merge).data !== false ? 'newUserId' : undefined,
    ),
    merge: optional(boolean),
  }),
  output: nothing,
  examples: [
    {
      request: { application: 'A1B2C-3D4E5', oldUserId: 'guest-7', newUserId: 'user-1', merge: true },
      reply: undefined,
    },
  ],
});
