import { addGeoZone } from './addGeoZone.ts';
import { addGeoZoneCluster } from './addGeoZoneCluster.ts';
import { deleteGeoZone } from './deleteGeoZone.ts';
import { deleteGeoZoneCluster } from './deleteGeoZoneCluster.ts';
import { getNearestZone } from './getNearestZone.ts';
import { listGeoZoneClusters } from './listGeoZoneClusters.ts';
import { listGeoZones } from './listGeoZones.ts';
import { updateGeoZone } from './updateGeoZone.ts';

export const geozoneMethods = {
  addGeoZone,
  updateGeoZone,
  deleteGeoZone,
  addGeoZoneCluster,
  deleteGeoZoneCluster,
  listGeoZones,
  listGeoZoneClusters,
  getNearestZone,
} as const;
