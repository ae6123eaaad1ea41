import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { nothing, object } from '../values.ts';
import { clusterCode } from './fields.ts';

export const deleteGeoZoneCluster = json13('deleteGeoZoneCluster', {
  description: 'Deletes a cluster; its zones stay without a cluster.',
  scope: 'api',
  input: object({
    application: applicationCode,
    geoZoneCluster: clusterCode.describe('Code of the cluster.'),
  }).transform(({ application, geoZoneCluster: code }) => ({ application, code })),
  output: nothing,
  examples: [
    { request: { auth: 'token', application: 'A1B2C-3D4E5', geoZoneCluster: 'E1B2C-3D4E5' }, reply: undefined },
  ],
});
