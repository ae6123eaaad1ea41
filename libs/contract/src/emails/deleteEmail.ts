import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { identity, nothing, object } from '../values.ts';

export const deleteEmail = json13('deleteEmail', {
  description: 'Erases the contacts of an address; an unknown address succeeds.',
  scope: 'device',
  input: object({
    application: applicationCode,
    email: identity.transform((address) => address.toLowerCase()).describe('E-mail address, case-insensitive.'),
  }),
  output: nothing,
  examples: [{ request: { application: 'A1B2C-3D4E5', email: 'anna@example.com' }, reply: undefined }],
});
