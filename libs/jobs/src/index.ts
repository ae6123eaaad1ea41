export { decideJob, evolveJob, type Job, type JobAction, progressOf } from './job.ts';
