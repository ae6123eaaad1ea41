import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { localizedSchema } from '../messages/texts.ts';
import { anyObject, object, unchecked } from '../values.ts';
import { cooldown } from './fields.ts';
import { TIMETABLE } from './timetable.ts';

const zone = z.object({
  id: z.int().describe('Id of the zone.'),
  name: z.string().describe('Name of the zone.'),
  lat: z.number().describe('Latitude in degrees.'),
  lng: z.number().describe('Longitude in degrees.'),
  range: z.int().describe('Radius of the zone in meters, 50 to 1,000.'),
  cooldown: z.int().describe(cooldown.description!),
  content: unchecked(localizedSchema).nullable().describe('Text to send, as given; null if the preset supplies it.'),
  presetCode: z.string().nullable().describe('Code of the preset that supplies the messages; null if there is none.'),
  campaign_id: z.int().nullable().describe('Number of the campaign that messages count for; null if there is none.'),
  timetable: anyObject.nullable().describe(TIMETABLE),
  status: z.boolean().describe('Whether the zone is activated.'),
});

export const listGeoZones = json13('listGeoZones', {
  description: 'Lists the geozones of an application by cluster, those without a cluster last.',
  scope: 'api',
  input: object({ application: applicationCode }),
  output: z.object({
    clusters: z
      .array(
        z.object({
          name: z.string().describe('Name of the cluster.'),
          geoZones: z.array(zone).describe('The zones of the cluster.'),
        }),
      )
      .describe('The clusters.'),
  }),
  examples: [
    {
      request: { auth: 'token', application: 'A1B2C-3D4E5' },
      reply: {
        clusters: [
          {
            name: 'Without cluster',
            geoZones: [
              {
                id: 961_234,
                name: 'Station',
                lat: 52.5251,
                lng: 13.3694,
                range: 200,
                cooldown: 3600,
                content: 'Welcome',
                presetCode: null,
                campaign_id: null,
                timetable: { timezone: 0, Mon: [{ start: '08:00', stop: '12:00' }] },
                status: true,
              },
            ],
          },
        ],
      },
    },
  ],
});
