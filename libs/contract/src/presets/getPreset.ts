import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { anyObject, object } from '../values.ts';
import { presetCode } from './preset-code.ts';

/** Returns a preset, with the field names of createMessage (R-K3). Spec K. */
export const getPreset = json13('getPreset', {
  scope: 'api',
  input: object({ preset_code: presetCode }).transform(({ preset_code: code }) => ({ code })),
  output: z.object({
    preset: z.object({
      code: z.string(),
      name: z.string(),
      page_id: z.int().nullable(),
      url: z.string(),
      content: z.record(z.string(), z.string()),
      properties: anyObject,
      platforms: z.array(z.int()),
    }),
  }),
  examples: [
    {
      request: { auth: 'token', preset_code: 'D1B2C-3D4E5' },
      reply: {
        preset: {
          code: 'D1B2C-3D4E5',
          name: 'Welcome',
          page_id: null,
          url: 'https://example.com',
          content: { en: 'Welcome' },
          properties: { ios_sound: 'bell', created_via: 'API', user_id: '', filter_code: '' },
          platforms: [1, 3],
        },
      },
    },
  ],
});
