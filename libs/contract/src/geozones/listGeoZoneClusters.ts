import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { object } from '../values.ts';

/** Lists the clusters of an application with their number of zones, oldest first (R-F6). Spec F. */
export const listGeoZoneClusters = json13('listGeoZoneClusters', {
  scope: 'api',
  input: object({ application: applicationCode }),
  output: z.object({
    clusters: z.array(z.object({ code: z.string(), cooldown: z.int(), geozones: z.int(), name: z.string() })),
  }),
  examples: [
    {
      request: { auth: 'token', application: 'A1B2C-3D4E5' },
      reply: { clusters: [{ code: 'E1B2C-3D4E5', cooldown: 86_400, geozones: 2, name: 'Stations' }] },
    },
  ],
});
