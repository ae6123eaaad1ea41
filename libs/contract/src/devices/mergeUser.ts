import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { userId } from '../fields/device.ts';
import { optionalUnless } from '../presence.ts';
import { boolean, nothing, object, optional } from '../values.ts';

export const mergeUser = json13('mergeUser', {
  description:
    'Moves the devices of one user to another, who also receives the tags that it lacks. With `merge: false` the ' +
    'devices are only detached from the old user, and a new user is optional. Idempotent.',
  scope: 'device',
  input: object({
    application: applicationCode,
    oldUserId: userId.describe('The user that the devices belong to.'),
    newUserId: optionalUnless(userId, ({ newUserId, merge }) =>
      (newUserId ?? null) === null && boolean.safeParse(merge).data !== false ? 'newUserId' : undefined,
    ).describe('The user that the devices move to. Optional if `merge` is false.'),
    merge: optional(boolean).describe(
      'Whether the new user receives the devices and the tags that it lacks; true if left out. With false the ' +
        'devices are only detached from their user.',
    ),
  }),
  output: nothing,
  examples: [
    {
      request: { application: 'A1B2C-3D4E5', oldUserId: 'guest-7', newUserId: 'user-1', merge: true },
      reply: undefined,
    },
  ],
});
