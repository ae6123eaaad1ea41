import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { object } from '../values.ts';
import { cooldown, zoneName } from './fields.ts';

export const addGeoZoneCluster = json13('addGeoZoneCluster', {
  description: 'Creates a cluster: within its cooldown a user gets the same message from only one of its zones.',
  scope: 'api',
  input: object({
    application: applicationCode,
    name: zoneName.describe('Name of the cluster.'),
    cooldown: cooldown.describe(
      'Seconds in which a user does not get the same message again from a zone of the cluster.',
    ),
  }),
  output: z.object({ GeoZoneCluster: z.string().describe('Code of the new cluster.') }),
  examples: [
    {
      request: { auth: 'token', application: 'A1B2C-3D4E5', name: 'Stations', cooldown: 86_400 },
      reply: { GeoZoneCluster: 'E1B2C-3D4E5' },
    },
  ],
});
