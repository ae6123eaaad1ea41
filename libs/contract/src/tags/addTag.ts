import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { boolean, identity, integerOf, object, optional } from '../values.ts';
import { TAG_TYPES, tagOf } from './tag.ts';

const name = identity
  .transform((value) => value.trim())
  .refine((value) => value !== '' && [...value].length <= 255, 'must be 1 to 255 characters')
  .meta({ minLength: 1, maxLength: 255 });

export const addTag = json13('addTag', {
  description:
    'Adds a tag to the account; its type cannot be changed. An account has at most 10,000, unless the operator sets ' +
    'another quota.',
  scope: 'api',
  input: object({
    tag: tagOf({
      name: name.describe('Name of the tag. Spaces around it are dropped.'),
      type: integerOf(1, 7).describe(TAG_TYPES),
      application_specific: optional(boolean).describe(
        'Whether a device has one value per application; false if left out.',
      ),
    }).describe('The tag.'),
  }).transform(({ tag }) => ({
    name: tag.name,
    type: tag.type,
    applicationSpecific: tag.application_specific ?? false,
  })),
  output: z.object({ result: z.literal(true).describe('Always true.') }),
  examples: [
    {
      request: { auth: 'token', tag: { name: 'Level', type: 1, application_specific: true } },
      reply: { result: true },
    },
  ],
});
