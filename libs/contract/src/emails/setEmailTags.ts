import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { userId } from '../fields/device.ts';
import { isGiven, optionalUnless } from '../presence.ts';
import { identity, object, optional, tagValues } from '../values.ts';

const address = identity.transform((value) => value.toLowerCase());

export const setEmailTags = json13('setEmailTags', {
  description:
    'Sets tags of the contacts of an address or of a user; the address takes precedence. Returns the names that are ' +
    'not tags.',
  scope: 'device',
  input: object({
    application: applicationCode,
    email: optionalUnless(address, (request) =>
      isGiven(request['email']) || isGiven(request['userId']) ? undefined : 'email',
    ).describe('Address of the contact. Required without `userId`, and takes precedence over it.'),
    tags: tagValues,
    userId: optional(userId).describe('Selects the contacts of this user if `email` is left out.'),
  }),
  output: z.object({
    skipped: z.array(z.string()).describe('Names in `tags` that are not tags of the account.'),
  }),
  examples: [
    {
      request: { application: 'A1B2C-3D4E5', email: 'anna@example.com', tags: { Name: 'Anna', Old: null } },
      reply: { skipped: [] },
    },
  ],
});
