export { openGeoip } from './geoip/geoip.ts';
export { openStorageGuard } from './limits/storage-guard.ts';
export { createGateway, type GatewayDeps, incomingMailOf, mailPortOf } from './create-gateway.ts';
