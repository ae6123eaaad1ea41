import type { api } from '@tidings/contract';
import { JobKind } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { startJob } from './job.ts';

export const bulkSetTags: Handler<typeof api.bulkSetTags, 'jobs'> = ({ devices, createMissingTags }, context, call) =>
  startJob(JobKind.JOB_KIND_SET_TAGS, { count: devices.length, entries: devices }, context, call, createMissingTags);
