export { addGeoZone } from './addGeoZone.ts';
export { addGeoZoneCluster } from './addGeoZoneCluster.ts';
export { deleteGeoZone } from './deleteGeoZone.ts';
export { deleteGeoZoneCluster } from './deleteGeoZoneCluster.ts';
export { getNearestZone } from './getNearestZone.ts';
export { listGeoZoneClusters } from './listGeoZoneClusters.ts';
export { listGeoZones } from './listGeoZones.ts';
export { updateGeoZone } from './updateGeoZone.ts';
