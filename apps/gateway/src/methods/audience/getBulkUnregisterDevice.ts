import type { api } from '@tidings/contract';
import { JobKind } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { findJob, rowStatusOf } from './job.ts';

export const getBulkUnregisterDevice: Handler<typeof api.getBulkUnregisterDevice, 'jobs'> = async (
  query,
  context,
  call,
) => {
  const { shown, rows } = await findJob(JobKind.JOB_KIND_UNREGISTER, query, context, call, (row) => ({
    hwid: row.hwid,
    status: rowStatusOf(row),
  }));
  return { ...shown, ...rows };
};
