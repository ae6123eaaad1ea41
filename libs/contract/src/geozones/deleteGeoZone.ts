import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { parseWithin } from '../forward.ts';
import { isGiven } from '../presence.ts';
import { listOf, nothing, object, unchecked } from '../values.ts';
import { zoneId } from './fields.ts';

const MAX_ZONES = 1000;
const ids = listOf(zoneId, MAX_ZONES);

const idSchema = { type: ['integer', 'string'] };
const oneOrMore = unchecked({ anyOf: [idSchema, { type: 'array', items: idSchema, minItems: 1, maxItems: MAX_ZONES }] })
  .refine(isGiven)
  .transform((value, context) => {
    if (Array.isArray(value)) return parseWithin(ids, value, context, []) ?? [];
    const id = parseWithin(zoneId, value, context, []);
    return id === undefined ? [] : [id];
  });

export const deleteGeoZone = json13('deleteGeoZone', {
  description: 'Deletes geozones, all or none.',
  scope: 'api',
  input: object({ application: applicationCode, geozones: oneOrMore.describe('Ids of the zones, or one id.') }),
  output: nothing,
  examples: [
    { request: { auth: 'token', application: 'A1B2C-3D4E5', geozones: [961_234] }, reply: undefined },
    { request: { application: 'A1B2C-3D4E5', geozones: '961234' }, reply: undefined },
  ],
});
