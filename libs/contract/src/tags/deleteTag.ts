import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { identity, object } from '../values.ts';
import { tagOf } from './tag.ts';

export const deleteTag = json13('deleteTag', {
  description:
    'Deletes a tag of the account at once, and its values in the background. Requires a token for all applications.',
  scope: 'api',
  input: object({
    tag: tagOf({ name: identity.describe('Name of the tag. Spaces around it are dropped.') }).describe('The tag.'),
  }).transform(({ tag }) => ({ name: tag.name })),
  output: z.object({ result: z.literal(true).describe('Always true.') }),
  examples: [{ request: { auth: 'token', tag: { name: 'Outdated' } }, reply: { result: true } }],
});
