export { openGeoip } from './geoip/geoip.ts';
export { createGateway, type GatewayDeps, incomingMailOf, mailPortOf } from './create-gateway.ts';
