import type { api } from '@tidings/contract';
import { JobKind } from '@tidings/events';
import type { JobRow } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { findJob, rowStatusOf, startJob } from './job.ts';

export const bulkUnregisterDevice: Handler<typeof api.bulkUnregisterDevice, 'jobs'> = ({ devices }, context, call) =>
  startJob(JobKind.JOB_KIND_UNREGISTER, { count: devices.length, entries: devices }, context, call);

const shownRow = (row: JobRow) => ({ hwid: row.hwid, status: rowStatusOf(row) });

export const getBulkUnregisterDevice: Handler<typeof api.getBulkUnregisterDevice, 'jobs'> = async (
  query,
  context,
  call,
) => {
  const { shown, rows } = await findJob(JobKind.JOB_KIND_UNREGISTER, query, context, call, shownRow);
  return { ...shown, ...rows };
};
