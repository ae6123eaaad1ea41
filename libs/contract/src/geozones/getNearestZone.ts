import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { hwid } from '../fields/device.ts';
import { isGiven, optionalUnless } from '../presence.ts';
import { bit, object, optional } from '../values.ts';
import { lat, lng } from './fields.ts';

const nearby = z.object({
  name: z.string().describe('Name of the zone.'),
  lat: z.number().describe('Latitude in degrees.'),
  lng: z.number().describe('Longitude in degrees.'),
  range: z.int().describe('Radius of the zone in meters, 50 to 1,000.'),
  distance: z.int().describe('Distance of the device from the centre of the zone, in meters.'),
});

const nearest = nearby.extend({
  name: nearby.shape.name.describe('Name of the nearest zone.'),
  range: nearby.shape.range.describe('Radius of the zone in meters.'),
});

type Request = Readonly<Record<string, unknown>>;

/** A client that stops locating sends null for both (R-C13). */
const isNowhere = ({ lat: north, lng: east }: Request): boolean => north === null && east === null;

const missingIn = (request: Request, field: string): string | undefined =>
  isGiven(request[field]) ? undefined : field;

export const getNearestZone = json13('getNearestZone', {
  description:
    'Records the location of a device, which makes the zones around it send, and returns the nearest activated zone, ' +
    'or null if there is none; with `more`, the nearest 20. If `lat` and `lng` are null, the stored location is ' +
    'removed and the reply is null. Distances are in whole meters.',
  scope: 'device',
  input: object({
    application: applicationCode,
    hwid,
    lat: optionalUnless(lat, (request) => (isNowhere(request) ? undefined : missingIn(request, 'lat'))),
    lng: optionalUnless(lng, (request) => (isNowhere(request) ? undefined : missingIn(request, 'lng'))),
    more: optional(bit).describe('1 answers up to 20 zones instead of one.'),
  }).transform(({ more = false, lat: north, lng: east, ...device }) => ({
    ...device,
    more,
    place: north === undefined || east === undefined ? undefined : { lat: north, lng: east },
  })),
  output: z.union([
    nearest,
    z.object({ geozones: z.array(nearby).describe('The nearest zones, if `more` is 1.') }),
    z.null(),
  ]),
  examples: [
    {
      request: { application: 'A1B2C-3D4E5', hwid: 'phone-1', lat: '52.52', lng: 13.37, more: 0 },
      reply: { name: 'Station', lat: 52.5251, lng: 13.3694, range: 200, distance: 569 },
    },
    { request: { application: 'A1B2C-3D4E5', hwid: 'phone-1', lat: 0, lng: 0, more: 1 }, reply: { geozones: [] } },
    { request: { application: 'A1B2C-3D4E5', hwid: 'phone-1', lat: null, lng: null }, reply: null },
  ],
});
