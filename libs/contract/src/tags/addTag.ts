import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { boolean, identity, integerOf, object, optional } from '../values.ts';
import { tagOf } from './tag.ts';

const name = identity
  .transform((value) => value.trim())
  .refine((value) => value !== '' && [...value].length <= 255, 'must be 1 to 255 characters')
  .meta({ minLength: 1, maxLength: 255 });

/**
 * Adds a tag to the account; its type cannot be changed (R-D1). An account has at most 10,000, unless the operator sets another quota
 * (R-LM7). Spec D.
 */
export const addTag = json13('addTag', {
  scope: 'api',
  input: object({
    tag: tagOf({
      name,
      type: integerOf(1, 7),
      application_specific: optional(boolean),
    }),
  }).transform(({ tag }) => ({
    name: tag.name,
    type: tag.type,
    applicationSpecific: tag.application_specific ?? false,
  })),
  output: z.object({ result: z.literal(true) }),
  examples: [
    {
      request: { auth: 'token', tag: { name: 'Level', type: 1, application_specific: true } },
      reply: { result: true },
    },
  ],
});
