import type { api } from '@tidings/contract';
import { JobKind } from '@tidings/events';
import type { JobRow } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { findJob, rowStatusOf, startJob } from './job.ts';

export const bulkSetTags: Handler<typeof api.bulkSetTags, 'jobs'> = ({ devices, createMissingTags }, context, call) =>
  startJob(JobKind.JOB_KIND_SET_TAGS, { count: devices.length, entries: devices }, context, call, createMissingTags);

const shownRow = (row: JobRow) => ({
  hwid: row.hwid,
  ...(row.userId !== '' && { user_id: row.userId }),
  ...(row.pushToken !== '' && { push_token: row.pushToken }),
  status: rowStatusOf(row),
  tags: row.tags,
});

export const getBulkSetTags: Handler<typeof api.getBulkSetTags, 'jobs'> = async (query, context, call) => {
  const { shown, view, rows } = await findJob(JobKind.JOB_KIND_SET_TAGS, query, context, call, shownRow);
  return { ...shown, devices_not_found: view.notFound, devices_failed: view.failed, ...rows };
};
