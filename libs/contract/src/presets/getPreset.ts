import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { PLATFORM_CODES } from '../fields/device.ts';
import { anyObject, object } from '../values.ts';
import { presetCode } from './preset-code.ts';

export const getPreset = json13('getPreset', {
  description: 'Returns a preset, with the field names of createMessage.',
  scope: 'api',
  input: object({ preset_code: presetCode }).transform(({ preset_code: code }) => ({ code })),
  output: z.object({
    preset: z
      .object({
        code: z.string().describe('Code of the preset.'),
        name: z.string().describe('Name of the preset.'),
        page_id: z.int().nullable().describe('Number of a page; null if there is none.'),
        url: z.string().describe('URL that a tap opens; empty if there is none.'),
        content: z.record(z.string(), z.string()).describe('Texts by language; `default` serves every other language.'),
        properties: anyObject.describe('Settings, with the field names of createMessage.'),
        platforms: z.array(z.int()).describe(`Platform codes: ${PLATFORM_CODES}.`),
      })
      .describe('The preset.'),
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
