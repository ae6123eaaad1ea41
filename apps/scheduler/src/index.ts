export { openScheduler } from './scheduler.ts';
