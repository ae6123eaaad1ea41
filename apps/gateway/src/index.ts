export { openGeoip } from './devices/geoip.ts';
export { openStorageGuard } from './limits/storage-guard.ts';
export { createGateway, incomingMailOf, mailPortOf } from './create-gateway.ts';
