export { createGateway, type GatewayDeps, incomingMailOf, mailPortOf } from './create-gateway.ts';
