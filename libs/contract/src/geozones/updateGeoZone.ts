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

/** Null says something here: it unbinds. */
const unbound = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();

/**
 * Changes what is given of a geozone; `cluster` and `campaign` null unbind it, `timetable` null opens it always. A text takes the place of
 * the preset's, a preset comes with its own, and they must not be given together (R-F1); "" takes either away as long as the other is there.
 * Spec F.
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
      /** "" takes them away, and unbinds. */
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
