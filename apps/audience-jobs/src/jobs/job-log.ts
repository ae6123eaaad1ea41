import { type DocumentAddress, fieldsOf, type LogDefinition } from '@tidings/event-store';
import { JobAccepted, JobEvent, type JobFailure } from '@tidings/events';
import { decideJob, evolveJob, type Job, type JobAction, type Queue } from '@tidings/jobs';
import { bucketOf } from '@tidings/kernel';
import type { Binary } from 'mongodb';

export const JOBS = 'jobs';

const LOGS = 16;

export interface JobCommand {
  readonly id: string;
  readonly action: JobAction;
  readonly at: Date;
}

export const logOfJob = (id: string): string => `jobs-${bucketOf(id, LOGS)}`;

const jobAt = (id: string): DocumentAddress => ({ collection: JOBS, id });

export interface JobDocument {
  readonly status: Job['status'];
  readonly account: string;
  readonly queue: string;
  readonly bytes: number;
  readonly accepted: Uint8Array | Binary;
  readonly acceptedAt: Date;
  readonly parts: number;
  readonly entries: number;
  readonly done: number;
  readonly notFound: number;
  readonly failed: number;
  readonly attempts?: number;
  readonly workers?: readonly string[];
  readonly retryAt?: Date;
  readonly finishedAt?: Date;
  readonly reason?: JobFailure;
}

export const queueKey = ({ account, application }: Queue): string => `${account}/${application}`;

export function queueOf(key: string): Queue {
  const slash = key.indexOf('/');
  return { account: key.slice(0, slash), application: key.slice(slash + 1) };
}

function endOf(job: Job): Partial<JobDocument> {
  switch (job.status) {
    case 'Pending':
      return { attempts: job.attempts, workers: job.workers, retryAt: job.retryAt };
    case 'Completed':
      return { finishedAt: job.finishedAt };
    case 'Failed':
      return { finishedAt: job.finishedAt, reason: job.reason };
  }
}

function jobDocument(job: Job): JobDocument {
  const { status, account, acceptedAt, parts, entries, done, notFound, failed } = job;
  const { application, bytes } = job.accepted;
  const accepted = JobAccepted.encode(job.accepted).finish();
  const facts = { account, accepted, acceptedAt, parts, entries, done, notFound, failed };
  return { status, queue: queueKey({ account, application }), bytes, ...facts, ...endOf(job) };
}

export function jobOf({ _id, ...stored }: JobDocument & { readonly _id: string }): Job {
  const { status, account, acceptedAt, parts, entries, done, notFound, failed } = stored;
  const bytes = stored.accepted instanceof Uint8Array ? stored.accepted : stored.accepted.buffer;
  const accepted = JobAccepted.decode(bytes);
  const facts = { id: _id, account, accepted, acceptedAt, parts, entries, done, notFound, failed };
  switch (status) {
    case 'Pending': {
      const { attempts, workers, retryAt } = stored;
      return { ...facts, status, attempts: attempts!, workers: workers!, retryAt: retryAt! };
    }
    case 'Completed':
      return { ...facts, status, finishedAt: stored.finishedAt! };
    case 'Failed':
      return { ...facts, status, finishedAt: stored.finishedAt!, reason: stored.reason! };
  }
}

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
  isKnown: ({ event }) => event !== undefined,
  named: ({ job }) => [jobAt(job)],
  toDocument: (job) => ({ ...jobDocument(job) }),
  fields: {
    [JOBS]: fieldsOf<JobDocument>({
      status: true,
      account: true,
      queue: true,
      bytes: true,
      accepted: true,
      acceptedAt: true,
      parts: true,
      entries: true,
      done: true,
      notFound: true,
      failed: true,
      attempts: true,
      workers: true,
      retryAt: true,
      finishedAt: true,
      reason: true,
    }),
  },
  fromDocument: (document, { id }) => jobOf({ ...(document as unknown as JobDocument), _id: id }),
};
