export { openScheduler, type SchedulerDeps, type SchedulerService } from './scheduler.ts';
