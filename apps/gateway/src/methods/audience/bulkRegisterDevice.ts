import { type api, type BulkEntry, NO_PLATFORM } from '@tidings/contract';
import { JobKind } from '@tidings/events';
import type { Call, Context, Handler } from '../../context.ts';
import { platformFault } from '../../devices/check-platform.ts';
import { findDevicesJob, startJob } from './job.ts';

function* permitted(
  devices: readonly BulkEntry[],
  context: Pick<Context, 'addressGuard' | 'disposableDomains'>,
  call: Call,
): Generator<BulkEntry, void> {
  for (const entry of devices) {
    const { platform, newPushToken: pushToken } = entry;
    const isAllowed = platformFault({ platform, pushToken }, context, call) === undefined;
    yield isAllowed ? entry : { ...entry, platform: NO_PLATFORM };
  }
}

export const bulkRegisterDevice: Handler<
  typeof api.bulkRegisterDevice,
  'addressGuard' | 'disposableDomains' | 'jobs'
> = ({ devices }, context, call) => {
  const entries = permitted(devices, context, call);
  return startJob(JobKind.JOB_KIND_REGISTER, { count: devices.length, entries }, context, call);
};

export const getBulkRegisterDevice: Handler<typeof api.getBulkRegisterDevice, 'jobs'> = (query, context, call) =>
  findDevicesJob(JobKind.JOB_KIND_REGISTER, query, context, call);
