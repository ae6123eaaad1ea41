import type { LogWriter } from '@tidings/event-store';
import { type Job, progressOf } from '@tidings/jobs';
import { type Clock, Fault } from '@tidings/kernel';
import { type FindJobRequest, type Jobs, JobStatus, type JobView } from '@tidings/rpc';
import { archiveOf } from '../exports/name.ts';
import { type JobCommand, logOfJob } from './log.ts';
import type { Pieces } from './pieces.ts';
import { shownRows } from './rows.ts';
import type { JobStore } from './store.ts';

export interface JobsParts {
  readonly clock: Clock;
  readonly pieces: Pieces;
  readonly store: JobStore;
  readonly writer: LogWriter<JobCommand, Job>;
  /** Hears that a job was accepted. */
  readonly accepted: () => void;
}

const statuses: Readonly<Record<Job['status'], JobStatus>> = {
  Pending: JobStatus.JOB_STATUS_PENDING,
  Completed: JobStatus.JOB_STATUS_COMPLETED,
  Failed: JobStatus.JOB_STATUS_FAILED,
};

const viewOf = (job: Job): JobView => ({
  status: statuses[job.status],
  progress: progressOf(job),
  done: job.done,
  notFound: job.notFound,
  failed: job.failed,
  archive: archiveOf(job) ?? '',
});

/** Bulk jobs, and what became of any job, of `Jobs` of tidings.rpc.v1. */
export function jobsRpc({
  clock,
  pieces,
  store,
  writer,
  accepted: wake,
}: JobsParts): Pick<Jobs, 'storePiece' | 'accept' | 'find' | 'rows'> {
  const find = async ({ job: id, kind, account }: FindJobRequest): Promise<Job | undefined> => {
    const job = await store.find(id);
    return job?.accepted.kind === kind && (account === '' || account === job.account) ? job : undefined;
  };
  return {
    async storePiece({ job, number, piece }) {
      if (!piece) throw Fault.bug('no piece');
      await pieces.store(job, number, piece, new Date(clock.now()));
      return {};
    },

    async accept({ job: id, account, accepted }) {
      if (!accepted) throw Fault.bug('nothing to accept');
      const at = new Date(clock.now());
      await writer.submit(logOfJob(id), { id, at, action: { type: 'accept', account, accepted } });
      wake();
      return {};
    },

    async find(request) {
      const job = await find(request);
      return { job: job && viewOf(job) };
    },

    async *rows(request) {
      const job = await find(request);
      if (!job) return;
      for await (const piece of pieces.all(job.id, job.pieces)) yield { rows: shownRows(piece) };
    },
  };
}
