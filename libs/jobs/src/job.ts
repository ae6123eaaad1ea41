import { type JobAccepted, type JobEvent, JobFailure, type JobPieceProcessed } from '@tidings/events';
import { Fault } from '@tidings/kernel';

interface JobFacts {
  readonly id: string;
  readonly account: string;
  readonly accepted: JobAccepted;
  readonly acceptedAt: Date;
  /** Pieces that have their results: they are processed in order. */
  readonly pieces: number;
  readonly entries: number;
  /** Rows by status. */
  readonly done: number;
  readonly notFound: number;
  readonly failed: number;
}

/** A bulk job (R-S3), or an export (R-N7). `Completed` and `Failed` are final. */
export type Job =
  | (JobFacts & {
      readonly status: 'Pending';
      /** Attempts at the next piece that ended with an error of our own. */
      readonly attempts: number;
      /** It rests until then. */
      readonly retryAt: Date;
    })
  | (JobFacts & { readonly status: 'Completed' | 'Failed'; readonly finishedAt: Date });

export type JobAction =
  | { readonly type: 'accept'; readonly account: string; readonly accepted: JobAccepted }
  /** The next piece has its results. */
  | { readonly type: 'pieceProcessed'; readonly processed: JobPieceProcessed }
  /** An attempt at a piece ended with an error that is nobody's but ours. */
  | { readonly type: 'attemptFailed'; readonly piece: number }
  | { readonly type: 'applicationGone' };

type JobChange = NonNullable<JobEvent['event']>;

const MAX_ATTEMPTS = 3;
const RETRY_MS = 1_000;

/** Whole percents of the entries that have their result, 100 only when all have (R-S3). */
export const progressOf = ({ entries, accepted }: Job): number => Math.floor((100 * entries) / accepted.entries);

const failed = (reason: JobFailure): JobChange => ({ $case: 'failed', value: { reason } });

function changesOf(job: Job | undefined, action: JobAction, at: Date): JobChange[] {
  if (action.type === 'accept') return job ? [] : [{ $case: 'accepted', value: action.accepted }];
  if (!job) throw Fault.bug(`${action.type} of a job that was never accepted`);
  // Two workers may be at it for a moment: what the other one has said already changes nothing.
  if (job.status !== 'Pending') return [];
  switch (action.type) {
    case 'pieceProcessed': {
      if (action.processed.piece !== job.pieces) return [];
      const processed: JobChange = { $case: 'pieceProcessed', value: action.processed };
      return job.pieces + 1 === job.accepted.pieces ? [processed, { $case: 'completed', value: {} }] : [processed];
    }
    case 'attemptFailed': {
      if (action.piece !== job.pieces) return [];
      const retryAt = new Date(at.getTime() + RETRY_MS * 4 ** job.attempts);
      const attempt: JobChange = { $case: 'attemptFailed', value: { piece: action.piece, retryAt } };
      return job.attempts + 1 < MAX_ATTEMPTS ? [attempt] : [attempt, failed(JobFailure.JOB_FAILURE_INTERNAL_ERROR)];
    }
    case 'applicationGone':
      return [failed(JobFailure.JOB_FAILURE_APPLICATION_GONE)];
  }
}

/** What follows from an action. Pure. Repeats follow nothing. */
export const decideJob = (id: string, job: Job | undefined, action: JobAction, at: Date): JobEvent[] => {
  const account = action.type === 'accept' ? action.account : (job?.account ?? '');
  return changesOf(job, action, at).map((event) => ({ stamp: undefined, job: id, account, at, event }));
};

type Pending = Job & { readonly status: 'Pending' };

function begun({ job: id, account, at }: JobEvent, accepted: JobAccepted): Pending {
  const facts = { id, account, accepted, acceptedAt: at!, pieces: 0, entries: 0, done: 0, notFound: 0, failed: 0 };
  return { ...facts, status: 'Pending', attempts: 0, retryAt: at! };
}

const counted = (job: Pending, { entries, done, notFound, failed: failures }: JobPieceProcessed): Pending => ({
  ...job,
  pieces: job.pieces + 1,
  entries: job.entries + entries,
  done: job.done + done,
  notFound: job.notFound + notFound,
  failed: job.failed + failures,
  attempts: 0,
});

function ended(
  { attempts: _attempts, retryAt: _retryAt, ...facts }: Pending,
  status: 'Completed' | 'Failed',
  at: Date,
): Job {
  return { ...facts, status, finishedAt: at };
}

function evolvePending(job: Pending, { at, event }: JobEvent): Job {
  switch (event?.$case) {
    case 'pieceProcessed':
      return counted(job, event.value);
    case 'attemptFailed':
      return { ...job, attempts: job.attempts + 1, retryAt: event.value.retryAt! };
    case 'completed':
      return ended(job, 'Completed', at!);
    case 'failed':
      return ended(job, 'Failed', at!);
    case 'accepted':
    case undefined:
      return job;
  }
}

/** The job after an event. Pure. */
export function evolveJob(job: Job | undefined, event: JobEvent): Job {
  if (job) return job.status === 'Pending' ? evolvePending(job, event) : job;
  if (event.event?.$case === 'accepted') return begun(event, event.event.value);
  throw Fault.bug(`event ${event.event?.$case ?? 'none'} of a job that was never accepted`);
}
