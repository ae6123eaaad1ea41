export { decideJob, evolveJob, isSuspect, type Job, type JobAction, progressOf } from './job.ts';
export { type Queue, type RoundRobin, roundRobin } from './round-robin.ts';
