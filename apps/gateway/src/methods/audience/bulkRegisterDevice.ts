import type { api } from '@tidings/contract';
import { JobKind } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { startJob } from './job.ts';

export const bulkRegisterDevice: Handler<typeof api.bulkRegisterDevice> = ({ devices }, context, call) =>
  startJob(JobKind.JOB_KIND_REGISTER, devices, context, call);
