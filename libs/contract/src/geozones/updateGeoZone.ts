import type { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { BY_LANGUAGE } from '../messages/texts.ts';
import { bit, nothing, object, optional } from '../values.ts';
import {
  clusterCode,
  cooldown,
  lat,
  lng,
  range,
  zoneCampaign,
  zoneContent,
  zoneId,
  zoneName,
  zonePreset,
} from './fields.ts';
import { timetable } from './timetable.ts';

/** Keeps null, which unbinds. */
const unbound = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();

export const updateGeoZone = json13('updateGeoZone', {
  description:
    'Changes the given fields of a geozone. Null for `cluster` or `campaign` unbinds it; null for `timetable` keeps ' +
    "the zone always open. A text replaces the preset's text, a preset brings its own, and they must not be " +
    'combined; "" removes one of them if the other remains.',
  scope: 'api',
  input: object({
    geoZoneId: zoneId.describe('Id of the zone.'),
    name: optional(zoneName).describe('Name of the zone.'),
    cooldown: optional(cooldown),
    status: optional(bit).describe('1 activates the zone, 0 deactivates it.'),
    content: optional(zoneContent).describe(`Text to send. ${BY_LANGUAGE} Must not be combined with \`presetCode\`.`),
    presetCode: optional(zonePreset).describe('Code of the preset that supplies the messages.'),
    cluster: unbound(clusterCode).describe('Code of the cluster that the zone belongs to; null for none.'),
    campaign: unbound(zoneCampaign).describe('Code of the campaign that messages count for; null for none.'),
    lat: optional(lat),
    lng: optional(lng),
    range: optional(range),
    timetable: unbound(timetable),
  })
    .refine(({ content, presetCode }) => !content || !presetCode, {
      error: 'must not be used together with presetCode',
      path: ['content'],
    })
    .transform(({ geoZoneId: id, presetCode, content, cluster, campaign, timetable: hours, ...given }) => ({
      ...given,
      id,
      /** "" removes and unbinds. */
      content,
      preset: presetCode,
      cluster: cluster === null ? '' : cluster,
      campaign: campaign === null ? '' : campaign,
      timetable: hours ?? undefined,
      alwaysOpen: hours === null,
    })),
  output: nothing,
  examples: [
    {
      request: {
        auth: 'token',
        geoZoneId: 961_234,
        name: 'Station',
        cooldown: 60,
        status: 0,
        presetCode: 'D1B2C-3D4E5',
        cluster: null,
        campaign: null,
        lat: 52.5251,
        lng: 13.3694,
        range: 100,
        timetable: null,
      },
      reply: undefined,
    },
  ],
});
