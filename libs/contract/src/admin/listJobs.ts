import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { account } from '../fields/account.ts';
import { applicationCode } from '../fields/application.ts';
import { next, page } from '../fields/page.ts';
import { object, oneOf, optional } from '../values.ts';

const kinds = ['bulkSetTags', 'bulkRegisterDevice', 'bulkUnregisterDevice', 'exportSegment'] as const;

const job = z.object({
  id: z.string().describe('`request_id` of a bulk job, `task_id` of an export.'),
  kind: z.enum(kinds).describe('The method that began it.'),
  application: z.string().nullable().describe('Code of the application; null for an export of several ones.'),
  status: z.enum(['Pending', 'Completed', 'Failed']).describe('`Pending`, `Completed` or `Failed`.'),
  progress: z.int().describe('Progress in per cent, 0 to 100.'),
  accepted_at: z.string().nullable().describe('Time of acceptance: RFC 3339, in UTC.'),
  finished_at: z.string().nullable().describe('End: RFC 3339, in UTC; null before it.'),
  entries: z.int().describe('Number of entries of a bulk job, or of device numbers that an export reads.'),
  devices_success: z.int().describe('Number of devices that are done, or in the file.'),
  devices_not_found: z.int().describe('Number of devices that were not found.'),
  devices_failed: z.int().describe('Number of devices that failed.'),
  failure: z.string().nullable().describe('Why it failed, such as `JOB_FAILURE_PROCESS_DIED`; null if it did not.'),
});

export const listJobs = admin('listJobs', {
  description:
    'Lists bulk jobs and exports of an account, newest first: open ones, and others for 7 days from their end. With ' +
    '`kind` or `application` a page may have fewer entries than `limit` although more follow.',
  route: 'GET jobs',
  input: object({
    account: optional(account),
    kind: optional(oneOf(kinds)).describe('Lists only jobs of this method: `exportSegment` for exports.'),
    application: optional(applicationCode).describe('Lists only jobs of this application.'),
    ...page,
  }),
  output: z.object({ jobs: z.array(job).describe('The jobs, newest first.'), next }),
  examples: [
    {
      request: { account: 'default', kind: 'bulkSetTags', application: 'A1B2C-3D4E5', limit: 100 },
      reply: {
        jobs: [
          {
            id: '5e0f4b2a-8c1d-4f6e-9a7b-0c1d2e3f4a5b',
            kind: 'bulkSetTags',
            application: 'A1B2C-3D4E5',
            status: 'Completed',
            progress: 100,
            accepted_at: '2026-01-15T12:00:00Z',
            finished_at: '2026-01-15T12:00:03Z',
            entries: 3,
            devices_success: 2,
            devices_not_found: 1,
            devices_failed: 0,
            failure: null,
          },
        ],
        next: '1768478400000.5e0f4b2a-8c1d-4f6e-9a7b-0c1d2e3f4a5b',
      },
    },
    {
      request: { after: '1768478400000.5e0f4b2a-8c1d-4f6e-9a7b-0c1d2e3f4a5b' },
      reply: { jobs: [], next: null },
    },
  ],
});
