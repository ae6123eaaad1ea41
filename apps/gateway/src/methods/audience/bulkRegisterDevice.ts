import { type api, type BulkEntry, NO_PLATFORM } from '@tidings/contract';
import { JobKind } from '@tidings/events';
import type { JobRow } from '@tidings/rpc';
import type { Call, Context, Handler } from '../../context.ts';
import { platformFault } from '../../devices/check-platform.ts';
import { findJob, rowStatusOf, startJob } from './job.ts';

function* permitted(
  devices: readonly BulkEntry[],
  context: Pick<Context, 'addressGuard' | 'disposableDomains'>,
  call: Call,
): Generator<BulkEntry, void> {
  for (const entry of devices) {
    const { platform, newPushToken: pushToken } = entry;
    const fault = entry.fault ?? platformFault({ platform, pushToken }, context, call);
    yield fault === undefined ? entry : { ...entry, platform: NO_PLATFORM, fault };
  }
}

export const bulkRegisterDevice: Handler<
  typeof api.bulkRegisterDevice,
  'addressGuard' | 'disposableDomains' | 'jobs'
> = ({ devices }, context, call) => {
  const entries = permitted(devices, context, call);
  return startJob(JobKind.JOB_KIND_REGISTER, { count: devices.length, entries }, context, call);
};

const shownRow = (row: JobRow) => ({
  hwid: row.hwid,
  status: rowStatusOf(row),
  ...(row.reason !== undefined && { reason: row.reason }),
  ...(Object.keys(row.tags).length > 0 && { tags: row.tags }),
});

export const getBulkRegisterDevice: Handler<typeof api.getBulkRegisterDevice, 'jobs'> = async (
  query,
  context,
  call,
) => {
  const { shown, rows } = await findJob(JobKind.JOB_KIND_REGISTER, query, context, call, shownRow);
  return { ...shown, ...rows };
};
