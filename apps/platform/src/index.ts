export { adminTokenOf } from './admin-token.ts';
export { greeting } from './greeting.ts';
export { type GatewayAccess, openPlatform, type Platform, type PlatformOptions } from './platform.ts';
export { readConfiguration, runPlatform } from './run-platform.ts';
