import { type api, NO_PLATFORM } from '@tidings/contract';
import { JobKind } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { platformFault } from '../devices/check-platform.ts';
import { startJob } from './job.ts';

/** Entries that the operator does not allow fail individually. */
export const bulkRegisterDevice: Handler<typeof api.bulkRegisterDevice> = ({ devices }, context, call) => {
  const entries = devices.map((entry) => {
    const { platform, newPushToken: pushToken } = entry;
    return platformFault({ platform, pushToken }, context, call) === undefined
      ? entry
      : { ...entry, platform: NO_PLATFORM };
  });
  return startJob(JobKind.JOB_KIND_REGISTER, entries, context, call);
};
