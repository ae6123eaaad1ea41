export { createGateway, type GatewayDeps } from './create-gateway.ts';
