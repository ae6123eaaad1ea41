import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { object } from '../values.ts';

export const listGeoZoneClusters = json13('listGeoZoneClusters', {
  description: 'Lists the clusters of an application with their number of zones, oldest first.',
  scope: 'api',
  input: object({ application: applicationCode }),
  output: z.object({
    clusters: z
      .array(
        z.object({
          code: z.string().describe('Code of the cluster.'),
          cooldown: z
            .int()
            .describe('Seconds in which a user does not get the same message again from a zone of the cluster.'),
          geozones: z.int().describe('Number of zones in the cluster.'),
          name: z.string().describe('Name of the cluster.'),
        }),
      )
      .describe('The clusters.'),
  }),
  examples: [
    {
      request: { auth: 'token', application: 'A1B2C-3D4E5' },
      reply: { clusters: [{ code: 'E1B2C-3D4E5', cooldown: 86_400, geozones: 2, name: 'Stations' }] },
    },
  ],
});
