import { z } from 'zod';
import { applicationCode } from '../fields/application.ts';
import type { detailsIn } from '../devices/registerDevice.ts';
import { HWID } from '../fields/device.ts';
import type { EntryList } from '../method.ts';
import { array, boolean, identity, object, oneOf, optional } from '../values.ts';

export const BULK_BODY_BYTES = 64 * 1024 * 1024;
const MAX_DEVICES = 50_000;

export const jobEntries: EntryList = {
  field: 'devices',
  max: MAX_DEVICES,
  tooMany: `at most ${MAX_DEVICES} entries`,
  perStep: 250,
};

/** Per application; also open exports of several applications of an account. */
export const MAX_OPEN_JOBS = 100;
/** Size of an application's open bulk jobs when another one starts. */
export const MAX_OPEN_MEBIBYTES = 256;

/** An entry with it fails alone (R-G5). */
export const NO_PLATFORM = 0;

export interface BulkEntry {
  readonly identifier: { readonly $case: 'hwid' | 'userId' | 'pushToken'; readonly value: string };
  readonly listOperator: 'set' | 'append' | 'remove';
  readonly tags: Record<string, unknown> | undefined;
  /** Names of tags whose decimal text in `tags` is an integer beyond 2^53 - 1. */
  readonly integers?: readonly string[];
  /** For registrations only, like the following fields. */
  readonly platform?: number;
  readonly newPushToken?: string;
  readonly country?: string | undefined;
  readonly city?: string | undefined;
  readonly details?: BulkDetails | undefined;
  /** Why the entry fails; its platform is {@link NO_PLATFORM}. */
  readonly fault?: string | undefined;
}

/** Undefined keeps what is stored. */
export interface BulkDetails extends ReturnType<typeof detailsIn> {
  readonly userId: string | undefined;
  readonly adoptByToken: boolean | undefined;
}

/** For tags of type List (R-G2). */
export const listOperator = optional(oneOf(['set', 'append', 'remove']))
  .transform((operator) => operator ?? 'set')
  .describe(
    'How to apply values of list tags: `set`, the default, replaces them, `append` adds to them, `remove` removes ' +
      'from them.',
  );

export const jobFields = <Entry extends z.ZodType>(entry: Entry) => ({
  application: applicationCode,
  devices: array(entry)
    .min(1, 'must not be empty')
    .max(MAX_DEVICES, jobEntries.tooMany)
    .describe('The devices, up to 50,000.'),
});

export const jobStarted = z.object({
  request_id: z.string().describe('Identifies the job.'),
  status: z.literal('Pending').describe('`Pending`, `Completed` or `Failed`.'),
});

export const exampleStarted = { request_id: '0e6d0b4e-5d1c-4f0a-9b54-6a4d1c1f7a42', status: 'Pending' as const };

const notABoolean = 'must be a boolean';

/** In any case; an empty value counts as not given. */
const queryFlag = z.union(
  [
    boolean,
    z
      .string(notABoolean)
      .toLowerCase()
      .pipe(z.literal(['', 'true', 'false'], notABoolean))
      .transform((word) => (word === '' ? undefined : word === 'true')),
  ],
  notABoolean,
);

export const jobQuery = object({
  request_id: identity.describe('Identifies the job.'),
  detailed: optional(queryFlag).describe('Whether to return the result for each device.'),
}).transform((query) => ({
  requestId: query.request_id,
  detailed: query.detailed ?? false,
}));

const status = z.enum(['Completed', 'Pending', 'Failed']);
const rowStatus = z.enum(['done', 'failed', 'not found']);

const shown = {
  request_id: z.string().describe('Identifies the job.'),
  status: status.describe('`Pending`, `Completed` or `Failed`.'),
  progress: z.int().describe('Progress in per cent, 0 to 100.'),
  devices_success: z.int().describe('Number of rows processed.'),
};

export const shownJob = z.object({
  ...shown,
  devices: z
    .array(
      z.object({
        hwid: z.string().describe(HWID),
        status: rowStatus.describe('`done`, `failed`, or `not found` if the device does not exist.'),
      }),
    )
    .optional()
    .describe('Result for each entry; present only if `detailed` is true.'),
});

const tagResults = z
  .record(z.string(), z.string())
  .describe('Result of each tag: `ok`, `tag not found`, or the reason for refusing the value.');

export const shownRegistrationsJob = z.object({
  ...shown,
  devices: z
    .array(
      z.object({
        hwid: z.string().describe(HWID),
        status: rowStatus.describe('`done` or `failed`.'),
        reason: z.string().optional().describe('Why the entry failed; absent if it is done.'),
        tags: tagResults.optional(),
      }),
    )
    .optional()
    .describe('Result for each entry; present only if `detailed` is true.'),
});

export const shownTagsJob = z.object({
  ...shown,
  devices_not_found: z.int().describe('Number of rows whose device was not found.'),
  devices_failed: z.int().describe('Number of rows that failed.'),
  devices: z
    .array(
      z.object({
        hwid: z.string().describe('The device; if it was not found, the identifier in the entry.'),
        user_id: z.string().optional().describe('The user in the entry.'),
        push_token: z.string().optional().describe('The push token in the entry.'),
        status: rowStatus.describe('`done`, `failed`, or `not found` if the device does not exist.'),
        tags: tagResults,
      }),
    )
    .optional()
    .describe('Result for each device; present only if `detailed` is true.'),
});

export const exampleQuery = { request_id: exampleStarted.request_id };
export const exampleShown = {
  request_id: exampleStarted.request_id,
  status: 'Completed' as const,
  progress: 100,
  devices_success: 1,
};
