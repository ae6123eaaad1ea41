import type { api } from '@tidings/contract';
import { JobKind } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { JobStatus } from '@tidings/rpc';
import type { Handler } from '../../context.ts';

const statuses = {
  [JobStatus.JOB_STATUS_UNSPECIFIED]: 'in-progress',
  [JobStatus.JOB_STATUS_PENDING]: 'in-progress',
  [JobStatus.JOB_STATUS_COMPLETED]: 'completed',
  [JobStatus.JOB_STATUS_FAILED]: 'failed',
} as const;

/** A token, if sent, must belong to the account of the export. */
export const getExportSegment: Handler<typeof api.getExportSegment, 'exportLinks' | 'jobs'> = async (
  { taskId },
  context,
  { account },
) => {
  const { job } = await context.jobs.find({ job: taskId, kind: JobKind.JOB_KIND_EXPORT, account });
  if (!job) throw Fault.notFound('Task not found');
  const { status, progress, done, archive } = job;
  const link = archive === '' ? '' : context.exportLinks.linkTo({ archive, job: taskId });
  return { status: statuses[status], progress, devices_count: done, filename: link, csv_filename: link };
};
