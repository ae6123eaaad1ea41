import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { object } from '../values.ts';
import { TAG_TYPES } from './tag.ts';

export const listTags = json13('listTags', {
  description: 'Lists the tags of the account by name, default tags included.',
  scope: 'api',
  input: object({}),
  output: z.object({
    tags: z
      .array(
        z.object({
          name: z.string().describe('Name of the tag.'),
          type: z.int().describe(TAG_TYPES),
          isApplicationSpecific: z.boolean().describe('Whether a device has one value per application.'),
        }),
      )
      .describe('The tags of the account, by name.'),
  }),
  examples: [
    {
      request: { auth: 'token' },
      reply: { tags: [{ name: 'Language', type: 2, isApplicationSpecific: true }] },
    },
  ],
});
