import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { localizedSchema } from '../messages/texts.ts';
import { anyObject, object, unchecked } from '../values.ts';

const zone = z.object({
  id: z.int(),
  name: z.string(),
  lat: z.number(),
  lng: z.number(),
  range: z.int(),
  cooldown: z.int(),
  content: unchecked(localizedSchema).nullable(),
  presetCode: z.string().nullable(),
  campaign_id: z.int().nullable(),
  timetable: anyObject.nullable(),
  status: z.boolean(),
});

/** Lists the geozones of an application by cluster, those without a cluster last (R-F6). Spec F. */
export const listGeoZones = json13('listGeoZones', {
  scope: 'api',
  input: object({ application: applicationCode }),
  output: z.object({ clusters: z.array(z.object({ name: z.string(), geoZones: z.array(zone) })) }),
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
