import type { LogWriter } from '@tidings/event-store';
import { JobKind } from '@tidings/events';
import { type Job, progressOf } from '@tidings/jobs';
import { type Clock, Fault } from '@tidings/kernel';
import { type FindJobRequest, type JobEntryView, type Jobs, JobStatus, type JobView } from '@tidings/rpc';
import { archiveOf } from './export-name.ts';
import type { Admission } from './job-admission.ts';
import { type JobCommand, logOfJob } from './job-log.ts';
import type { JobParts } from './job-parts.ts';
import { shownRows } from './rows.ts';
import type { JobStore } from './job-store.ts';

export interface JobsDeps {
  readonly clock: Clock;
  readonly parts: JobParts;
  readonly admission: Admission;
  readonly store: JobStore;
  readonly writer: LogWriter<JobCommand, Job>;
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

const entryOf = (job: Job): JobEntryView => ({
  job: job.id,
  kind: job.accepted.kind,
  application: job.accepted.application,
  entries: job.accepted.entries,
  acceptedAt: job.acceptedAt,
  finishedAt: job.status === 'Pending' ? undefined : job.finishedAt,
  failure: job.status === 'Failed' ? job.reason : undefined,
  view: viewOf(job),
});

export function jobsRpc({
  clock,
  parts,
  admission,
  store,
  writer,
  accepted: wake,
}: JobsDeps): Pick<Jobs, 'storePart' | 'accept' | 'find' | 'list' | 'rows'> {
  const find = async ({ job: id, kind, account }: FindJobRequest): Promise<Job | undefined> => {
    const job = await store.find(id);
    return job?.accepted.kind === kind && (account === '' || account === job.account) ? job : undefined;
  };
  const unlessRefused = async (job: string, admitted: Promise<void>): Promise<void> => {
    try {
      await admitted;
    } catch (error) {
      if (error instanceof Fault && error.kind === 'throttled') await parts.remove([job]);
      throw error;
    }
  };
  return {
    async storePart({ job, number, part, account, application }) {
      if (!part) throw Fault.bug('no part');
      // Others may fill the queue while a request uploads.
      await unlessRefused(job, admission.check({ account, application }, job));
      await parts.store(job, number, part, new Date(clock.now()));
      return {};
    },

    async accept({ job: id, account, accepted }) {
      if (!accepted) throw Fault.bug('an accept without a job');
      const open = async (): Promise<void> => {
        const at = new Date(clock.now());
        await writer.submit(logOfJob(id), { id, at, action: { type: 'accept', account, accepted } });
      };
      const queue = { account, application: accepted.application };
      await unlessRefused(id, admission.admit(queue, { job: id, bytes: accepted.bytes }, open));
      wake();
      return {};
    },

    async find(request) {
      const job = await find(request);
      return { job: job && viewOf(job) };
    },

    async list({ account, kind, application, after, limit }) {
      const { jobs, next } = await store.list(account, after, limit);
      const matching = jobs.filter(
        ({ accepted }) =>
          (kind === JobKind.JOB_KIND_UNSPECIFIED || kind === accepted.kind) &&
          (application === '' || application === accepted.application),
      );
      return { jobs: matching.map(entryOf), next };
    },

    async *rows(request) {
      const job = await find(request);
      if (!job) return;
      for await (const part of parts.all(job.id, job.parts)) yield { rows: shownRows(part) };
    },
  };
}
