import type { DocumentAddress, LogDefinition } from '@tidings/event-store';
import { JobAccepted, JobEvent } from '@tidings/events';
import { decideJob, evolveJob, type Job, type JobAction } from '@tidings/jobs';
import { bucketOf } from '@tidings/kernel';
import type { Binary } from 'mongodb';

/** Collection of the jobs, as their logs have folded them. */
export const JOBS = 'jobs';

const LOGS = 16;

export interface JobCommand {
  readonly id: string;
  readonly action: JobAction;
  readonly at: Date;
}

/** A job has one log, by its id (architecture 4). */
export const logOfJob = (id: string): string => `jobs-${bucketOf(id, LOGS)}`;

const jobAt = (id: string): DocumentAddress => ({ collection: JOBS, id });

/** A job as it is stored: what it is looked up by stands beside the accepted event. */
export interface JobDocument {
  readonly status: Job['status'];
  readonly account: string;
  readonly accepted: Uint8Array | Binary;
  readonly acceptedAt: Date;
  readonly pieces: number;
  readonly entries: number;
  readonly done: number;
  readonly notFound: number;
  readonly failed: number;
  /** While it is pending, both. */
  readonly attempts?: number;
  readonly retryAt?: Date;
  /** When it is not any more. */
  readonly finishedAt?: Date;
}

function jobDocument(job: Job): JobDocument {
  const { status, account, acceptedAt, pieces, entries, done, notFound, failed } = job;
  const accepted = JobAccepted.encode(job.accepted).finish();
  const facts = { account, accepted, acceptedAt, pieces, entries, done, notFound, failed };
  return status === 'Pending'
    ? { status, ...facts, attempts: job.attempts, retryAt: job.retryAt }
    : { status, ...facts, finishedAt: job.finishedAt };
}

/** The job in a stored document. */
export function jobOf({ _id, ...stored }: JobDocument & { readonly _id: string }): Job {
  const { status, account, acceptedAt, pieces, entries, done, notFound, failed } = stored;
  const bytes = stored.accepted instanceof Uint8Array ? stored.accepted : stored.accepted.buffer;
  const accepted = JobAccepted.decode(bytes);
  const facts = { id: _id, account, accepted, acceptedAt, pieces, entries, done, notFound, failed };
  return status === 'Pending'
    ? { ...facts, status, attempts: stored.attempts!, retryAt: stored.retryAt! }
    : { ...facts, status, finishedAt: stored.finishedAt! };
}

/** Bulk jobs, in 16 logs. A command is answered with the job as it is then. */
export const jobsLog: LogDefinition<JobCommand, JobEvent, Job, Job> = {
  category: 'jobs',
  needs: ({ id }) => ({ ids: [jobAt(id)] }),
  decide({ id, action, at }, view) {
    const job = view.get(jobAt(id));
    const events = decideJob(id, job, action, at);
    return { events, reply: events.reduce<Job | undefined>(evolveJob, job)! };
  },
  addresses: ({ job }) => [jobAt(job)],
  evolve: evolveJob,
  encode: (event) => JobEvent.encode(event).finish(),
  decode: (bytes) => JobEvent.decode(bytes),
  toDocument: (job) => ({ ...jobDocument(job) }),
  fromDocument: (document, { id }) => jobOf({ ...(document as unknown as JobDocument), _id: id }),
};
