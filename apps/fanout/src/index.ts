export { type FanoutDeps, type FanoutService, openFanout } from './fanout.ts';
export { tasksForOutcomes } from './watch/unheard-outcomes.ts';
