export { openFanout } from './fanout.ts';
export { tasksForOutcomes } from './watch/missing-outcomes.ts';
