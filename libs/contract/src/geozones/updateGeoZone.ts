import type { z } from 'zod';
import { json13 } from '../families/json13.ts';
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

/**
 * Changes the given fields of a geozone. Null for `cluster` or `campaign` unbinds it; null for `timetable` keeps the zone always open. A text
 * replaces the preset's text, a preset brings its own, and they must not be combined (R-F1); "" removes one of them if the other remains. Spec F.
 */
export const updateGeoZone = json13('updateGeoZone', {
  scope: 'api',
  input: object({
    geoZoneId: zoneId,
    name: optional(zoneName),
    cooldown: optional(cooldown),
    status: optional(bit),
    content: optional(zoneContent),
    presetCode: optional(zonePreset),
    cluster: unbound(clusterCode),
    campaign: unbound(zoneCampaign),
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
