import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { object } from '../values.ts';

export const getConfig = json13('getConfig', {
  description:
    'Returns the client configuration of an application: the VAPID key that browsers subscribe with, if Chrome or ' +
    'Firefox is configured.',
  scope: 'device',
  input: object({ application: applicationCode }),
  output: z.object({
    features: z
      .object({
        events: z.array(z.string()).describe('Always empty.'),
        vapid_key: z
          .optional(z.string())
          .describe('Public VAPID key that browsers subscribe with; absent if no browser platform is configured.'),
      })
      .describe('Features that the client may use.'),
  }),
  examples: [
    {
      request: { application: 'A1B2C-3D4E5', features: ['vapid_key', 'events'] },
      reply: { features: { events: [], vapid_key: 'BExample' } },
    },
  ],
});
