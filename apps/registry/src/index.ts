export { openRegistry, type RegistryDeps, type RegistryService } from './registry.ts';
export { tasksForOutcomes } from './fanout/watch/unheard-outcomes.ts';
export { type FanoutDeps, type FanoutService, openFanout } from './fanout/fanout.ts';
