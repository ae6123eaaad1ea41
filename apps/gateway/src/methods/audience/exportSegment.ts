import { randomBytes } from 'node:crypto';
import type { api } from '@tidings/contract';
import { ExportFormat, JobKind } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { JobStatus } from '@tidings/rpc';
import type { Context, Handler } from '../../context.ts';
import { grantOf } from '../segments/grant.ts';
import { withPaths } from '../segments/refusals.ts';

const paths = { expression: 'filterExpression', filterCode: 'filterCode' } as const;
const formats = { csv: ExportFormat.EXPORT_FORMAT_CSV, json: ExportFormat.EXPORT_FORMAT_JSON } as const;

/** The official client reads task ids as integers below 2^53 (R-N7). */
const ID_BITS = 52;

/** The id is the only secret. */
async function newTaskId({ jobs }: Pick<Context, 'jobs'>): Promise<string> {
  const id = String(BigInt.asUintN(ID_BITS, randomBytes(8).readBigUInt64BE()));
  const { job } = await jobs.find({ job: id, kind: JobKind.JOB_KIND_EXPORT, account: '' });
  return job ? newTaskId({ jobs }) : id;
}

export const exportSegment: Handler<typeof api.exportSegment, 'access' | 'jobs'> = async (input, context, call) => {
  const { segment, format, data, isWritten, escaped } = input;
  const job = await newTaskId(context);
  const fields = {
    hwid: data.includes('hwids'),
    userId: data.includes('users'),
    pushToken: data.includes('push_tokens'),
    tags: data.includes('tags'),
  };
  const accepting = context.jobs.acceptExport({
    job,
    segment: { account: call.account, grant: await grantOf(call, context), segment },
    fields: isWritten ? fields : undefined,
    format: formats[format],
    escaped,
  });
  await withPaths(paths, accepting);
  return { task_id: job };
};

const statuses = {
  [JobStatus.JOB_STATUS_UNSPECIFIED]: 'in-progress',
  [JobStatus.JOB_STATUS_PENDING]: 'in-progress',
  [JobStatus.JOB_STATUS_COMPLETED]: 'completed',
  [JobStatus.JOB_STATUS_FAILED]: 'failed',
} as const;

export const getExportSegment: Handler<typeof api.getExportSegment, 'exportLinks' | 'jobs'> = async (
  { taskId },
  { jobs, exportLinks },
  { account },
) => {
  const { job } = await jobs.find({ job: taskId, kind: JobKind.JOB_KIND_EXPORT, account });
  if (!job) throw Fault.notFound('Task not found');
  const { status, progress, done, archive } = job;
  const link = archive === '' ? '' : exportLinks.linkTo({ archive, job: taskId });
  return { status: statuses[status], progress, devices_count: done, filename: link, csv_filename: link };
};
