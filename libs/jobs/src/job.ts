import { type JobAccepted, type JobEvent, JobFailure, type JobPartProcessed } from '@tidings/events';
import { Fault } from '@tidings/kernel';

interface JobFacts {
  readonly id: string;
  readonly account: string;
  readonly accepted: JobAccepted;
  readonly acceptedAt: Date;
  readonly parts: number;
  readonly entries: number;
  readonly done: number;
  readonly notFound: number;
  readonly failed: number;
}

/** `Completed` and `Failed` are final. */
export type Job =
  | (JobFacts & {
      readonly status: 'Pending';
      readonly attempts: number;
      readonly workers: readonly string[];
      readonly retryAt: Date;
    })
  | (JobFacts & { readonly status: 'Completed'; readonly finishedAt: Date })
  | (JobFacts & { readonly status: 'Failed'; readonly finishedAt: Date; readonly reason: JobFailure });

interface Attempt {
  readonly part: number;
  readonly worker: string;
}

export type JobAction =
  | { readonly type: 'accept'; readonly account: string; readonly accepted: JobAccepted }
  | { readonly type: 'partProcessed'; readonly processed: JobPartProcessed; readonly next?: string | undefined }
  /** Must be durable before the worker starts. */
  | (Attempt & { readonly type: 'beginAttempt' })
  | (Attempt & { readonly type: 'attemptFailed' })
  /** Does not count as an attempt. */
  | (Attempt & { readonly type: 'withdrawAttempt' })
  | { readonly type: 'applicationGone' };

type Pending = Job & { readonly status: 'Pending' };
type Processed = Extract<JobAction, { readonly type: 'partProcessed' }>;

type JobChange = NonNullable<JobEvent['event']>;

const MAX_ATTEMPTS = 3;
const RETRY_MS = 1_000;
export const LONGEST_RETRY_MS = RETRY_MS * 4 ** MAX_ATTEMPTS;

/** Rounded down: 100 only when all entries have a result (R-S3). */
export const progressOf = ({ entries, accepted }: Job): number => Math.floor((100 * entries) / accepted.entries);

export const isSuspect = (job: Job, worker: string): boolean =>
  job.status === 'Pending' && job.workers.some((each) => each !== worker);

const without = (workers: readonly string[], worker: string): string[] => workers.filter((each) => each !== worker);

const failed = (reason: JobFailure): JobChange => ({ $case: 'failed', value: { reason } });

function attemptChanges(job: Pending, action: Extract<JobAction, Attempt>, at: Date): JobChange[] {
  const { part, worker } = action;
  const isAtWork = job.workers.includes(worker);
  if (action.type === 'withdrawAttempt') {
    return isAtWork && job.parts <= part ? [{ $case: 'attemptWithdrawn', value: { part: job.parts, worker } }] : [];
  }
  if (part !== job.parts) return [];
  switch (action.type) {
    case 'beginAttempt':
      if (isAtWork) return [];
      return job.attempts + job.workers.length < MAX_ATTEMPTS
        ? [{ $case: 'attemptBegun', value: { part, worker } }]
        : [failed(JobFailure.JOB_FAILURE_PROCESS_DIED)];
    case 'attemptFailed': {
      const retryAt = new Date(at.getTime() + RETRY_MS * 4 ** job.attempts);
      const attempt: JobChange = { $case: 'attemptFailed', value: { part, worker, retryAt } };
      const attempts = job.attempts + 1 + without(job.workers, worker).length;
      return attempts < MAX_ATTEMPTS ? [attempt] : [attempt, failed(JobFailure.JOB_FAILURE_INTERNAL_ERROR)];
    }
  }
}

function processedChanges(job: Pending, { processed: value, next: worker }: Processed): JobChange[] {
  if (value.part !== job.parts) return [];
  const processed: JobChange = { $case: 'partProcessed', value };
  const part = job.parts + 1;
  if (part === job.accepted.parts) return [processed, { $case: 'completed', value: {} }];
  return worker === undefined ? [processed] : [processed, { $case: 'attemptBegun', value: { part, worker } }];
}

function changesOf(job: Job | undefined, action: JobAction, at: Date): JobChange[] {
  if (action.type === 'accept') return job ? [] : [{ $case: 'accepted', value: action.accepted }];
  if (!job) throw Fault.bug(`${action.type} of a job that was never accepted`);
  // Two workers may process it for a moment: repeated results have no effect.
  if (job.status !== 'Pending') return [];
  switch (action.type) {
    case 'partProcessed':
      return processedChanges(job, action);
    case 'beginAttempt':
    case 'withdrawAttempt':
    case 'attemptFailed':
      return attemptChanges(job, action, at);
    case 'applicationGone':
      return [failed(JobFailure.JOB_FAILURE_APPLICATION_GONE)];
  }
}

/** Pure. */
export const decideJob = (id: string, job: Job | undefined, action: JobAction, at: Date): JobEvent[] => {
  const account = action.type === 'accept' ? action.account : (job?.account ?? '');
  return changesOf(job, action, at).map((event) => ({ stamp: undefined, job: id, account, at, event }));
};

function begun({ job: id, account, at }: JobEvent, accepted: JobAccepted): Pending {
  const facts = { id, account, accepted, acceptedAt: at!, parts: 0, entries: 0, done: 0, notFound: 0, failed: 0 };
  return { ...facts, status: 'Pending', attempts: 0, workers: [], retryAt: at! };
}

const counted = (job: Pending, { entries, done, notFound, failed: failures }: JobPartProcessed): Pending => ({
  ...job,
  parts: job.parts + 1,
  entries: job.entries + entries,
  done: job.done + done,
  notFound: job.notFound + notFound,
  failed: job.failed + failures,
  attempts: 0,
  workers: [],
});

const factsOf = ({ attempts: _attempts, workers: _workers, retryAt: _retryAt, ...facts }: Pending) => facts;

function evolvePending(job: Pending, { at, event }: JobEvent): Job {
  switch (event?.$case) {
    case 'partProcessed':
      return counted(job, event.value);
    case 'attemptBegun':
      return { ...job, workers: [...job.workers, event.value.worker] };
    case 'attemptWithdrawn':
      return { ...job, workers: without(job.workers, event.value.worker) };
    case 'attemptFailed': {
      const { worker, retryAt } = event.value;
      return { ...job, attempts: job.attempts + 1, workers: without(job.workers, worker), retryAt: retryAt! };
    }
    case 'completed':
      return { ...factsOf(job), status: 'Completed', finishedAt: at! };
    case 'failed':
      return { ...factsOf(job), status: 'Failed', finishedAt: at!, reason: event.value.reason };
    case 'accepted':
    case undefined:
      return job;
  }
}

export function evolveJob(job: Job | undefined, event: JobEvent): Job {
  if (job) return job.status === 'Pending' ? evolvePending(job, event) : job;
  if (event.event?.$case === 'accepted') return begun(event, event.event.value);
  throw Fault.bug(`event ${event.event?.$case ?? 'none'} of a job that was never accepted`);
}
