import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { anyObject, object } from '../values.ts';
import { addressee } from './addressee.ts';

export const getTags = json13('getTags', {
  description: "Returns the tags of a device, or the merged tags of a user's devices; unset tags are absent.",
  scope: 'device',
  input: object({ application: applicationCode, ...addressee }),
  output: z.object({
    result: anyObject.describe('Values by tag name. A tag without a value is absent. Integers have up to 64 bits.'),
  }),
  examples: [
    {
      request: { application: 'A1B2C-3D4E5', hwid: 'phone-1' },
      reply: { result: { Language: 'en', Level: 6, Interests: ['news', 'sport'] } },
    },
  ],
});
