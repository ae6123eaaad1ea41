import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { object } from '../values.ts';

/** Lists the tags of the account by name, default tags included (R-D2, R-RES17). Spec D. */
export const listTags = json13('listTags', {
  scope: 'api',
  input: object({}),
  output: z.object({
    tags: z.array(z.object({ name: z.string(), type: z.int(), isApplicationSpecific: z.boolean() })),
  }),
  examples: [
    {
      request: { auth: 'token' },
      reply: { tags: [{ name: 'Language', type: 2, isApplicationSpecific: true }] },
    },
  ],
});
