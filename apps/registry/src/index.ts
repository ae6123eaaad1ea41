export { openRegistry, type RegistryDeps, type RegistryService } from './registry.ts';
export { type FanoutDeps, type FanoutService, openFanout } from './fanout/fanout.ts';
