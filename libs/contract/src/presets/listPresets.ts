import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { object } from '../values.ts';

export const listPresets = json13('listPresets', {
  description: 'Lists the presets of an application and of its groups that the token may use, oldest first.',
  scope: 'api',
  input: object({ application: applicationCode }),
  output: z.object({
    presets: z
      .array(
        z.object({
          name: z.string().describe('Name of the preset.'),
          code: z.string().describe('Code of the preset.'),
        }),
      )
      .describe('The presets, oldest first.'),
  }),
  examples: [
    {
      request: { auth: 'token', application: 'A1B2C-3D4E5' },
      reply: { presets: [{ name: 'Welcome', code: 'D1B2C-3D4E5' }] },
    },
  ],
});
