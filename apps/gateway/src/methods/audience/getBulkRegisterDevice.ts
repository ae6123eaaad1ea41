import type { api } from '@tidings/contract';
import { JobKind } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { findJob, rowStatusOf } from './job.ts';

export const getBulkRegisterDevice: Handler<typeof api.getBulkRegisterDevice, 'jobs'> = async (
  query,
  context,
  call,
) => {
  const { shown, rows } = await findJob(JobKind.JOB_KIND_REGISTER, query, context, call, (row) => ({
    hwid: row.hwid,
    status: rowStatusOf(row),
  }));
  return { ...shown, ...rows };
};
