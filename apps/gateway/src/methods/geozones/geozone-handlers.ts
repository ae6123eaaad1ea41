export { addGeoZone } from './addGeoZone.ts';
export { addGeoZoneCluster, deleteGeoZoneCluster, listGeoZoneClusters } from './clusters.ts';
export { deleteGeoZone } from './deleteGeoZone.ts';
export { getNearestZone } from './getNearestZone.ts';
export { listGeoZones } from './listGeoZones.ts';
export { updateGeoZone } from './updateGeoZone.ts';
