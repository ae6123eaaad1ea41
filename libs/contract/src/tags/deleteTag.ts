import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { identity, object } from '../values.ts';
import { tagOf } from './tag.ts';

/**
 * Deletes a tag of the account at once, and its values in the background (R-D1, R-D2). Requires a token for all applications (R-T9).
 * Spec D.
 */
export const deleteTag = json13('deleteTag', {
  scope: 'api',
  input: object({
    tag: tagOf({ name: identity.describe('Name of the tag. Spaces around it are dropped.') }).describe('The tag.'),
  }).transform(({ tag }) => ({ name: tag.name })),
  output: z.object({ result: z.literal(true).describe('`SENT`, `FAILED`, `IN_FLIGHT` or `EXCLUDED`.') }),
  examples: [{ request: { auth: 'token', tag: { name: 'Outdated' } }, reply: { result: true } }],
});
