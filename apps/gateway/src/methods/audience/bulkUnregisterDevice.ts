import type { api } from '@tidings/contract';
import { JobKind } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { findDevicesJob, startJob } from './job.ts';

export const bulkUnregisterDevice: Handler<typeof api.bulkUnregisterDevice, 'jobs'> = ({ devices }, context, call) =>
  startJob(JobKind.JOB_KIND_UNREGISTER, { count: devices.length, entries: devices }, context, call);

export const getBulkUnregisterDevice: Handler<typeof api.getBulkUnregisterDevice, 'jobs'> = (query, context, call) =>
  findDevicesJob(JobKind.JOB_KIND_UNREGISTER, query, context, call);
