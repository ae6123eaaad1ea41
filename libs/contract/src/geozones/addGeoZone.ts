import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { BY_LANGUAGE } from '../messages/texts.ts';
import { listOf, object, optional } from '../values.ts';
import { clusterCode, cooldown, lat, lng, range, zoneCampaign, zoneContent, zoneName, zonePreset } from './fields.ts';
import { timetable } from './timetable.ts';

const MAX_ZONES = 1000;

const zone = object({
  name: zoneName.describe('Name of the zone.'),
  lat,
  lng,
  cooldown,
  range,
  content: optional(zoneContent).describe(`Text to send. ${BY_LANGUAGE} Required without \`presetCode\`.`),
  presetCode: optional(zonePreset).describe('Code of the preset that supplies the messages.'),
  cluster: optional(clusterCode).describe('Code of the cluster that the zone belongs to; null for none.'),
  campaign: optional(zoneCampaign).describe('Code of the campaign that messages count for; null for none.'),
  timetable: optional(timetable),
})
  .refine(({ content, presetCode }) => content || presetCode, 'content or presetCode is required')
  .transform(({ content = '', presetCode: preset = '', cluster = '', campaign = '', ...given }) => ({
    ...given,
    content,
    preset,
    cluster,
    campaign,
  }));

export const addGeoZone = json13('addGeoZone', {
  description:
    'Adds geozones, all or none, and returns their ids in order. An application has at most 10,000, unless the ' +
    'operator sets another quota.',
  scope: 'api',
  input: object({ application: applicationCode, geozones: listOf(zone, MAX_ZONES).describe('The zones.') }),
  output: z.object({ GeoZones: z.array(z.int()).describe('Ids of the new zones, in order.') }),
  examples: [
    {
      request: {
        auth: 'token',
        application: 'A1B2C-3D4E5',
        geozones: [
          {
            name: 'Station',
            lat: '52.5251',
            lng: '13.3694',
            cooldown: 3600,
            range: 200,
            content: { en: 'Welcome', de: 'Willkommen' },
            presetCode: 'D1B2C-3D4E5',
            cluster: null,
            campaign: 'C1B2C-3D4E5',
            timetable: {
              timezone: 3600,
              Mon: [{ start: '08:00', stop: '12:00' }],
              Fri: [{ start: '22:00', stop: '02:00' }],
            },
          },
        ],
      },
      reply: { GeoZones: [961_234] },
    },
  ],
});
