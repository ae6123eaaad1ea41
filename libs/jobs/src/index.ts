export { decideJob, evolveJob, isSuspect, type Job, type JobAction, LONGEST_RETRY_MS, progressOf } from './job.ts';
export { type Queue, roundRobin } from './round-robin.ts';
