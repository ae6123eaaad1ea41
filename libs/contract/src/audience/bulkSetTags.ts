import type { z } from 'zod';
import { audience } from '../families/audience.ts';
import { longIntegersIn, tagTexts } from '../long-integer.ts';
import { optionalUnless } from '../presence.ts';
import { anyObject, boolean, identity, object, optional, refuseIllFormedNames, TAG_VALUES } from '../values.ts';
import {
  BULK_BODY_BYTES,
  type BulkEntry,
  exampleQuery,
  exampleShown,
  exampleStarted,
  jobEntries,
  jobFields,
  jobQuery,
  jobStarted,
  listOperator,
  shownTagsJob,
} from './bulk.ts';

const fields = object({
  hwid: optionalUnless(identity, (given) =>
    [given['hwid'], given['user_id'], given['push_token']].every((each) => (each ?? null) === null)
      ? 'hwid'
      : undefined,
  ).describe('The device. One of `hwid`, `user_id` and `push_token` must be given.'),
  user_id: optional(identity).describe(
    'All devices of this user. One of `hwid`, `user_id` and `push_token` must be given.',
  ),
  push_token: optional(identity).describe(
    'The device with this push token. One of `hwid`, `user_id` and `push_token` must be given.',
  ),
  list_operator: listOperator,
  tags: anyObject.superRefine(refuseIllFormedNames).describe(TAG_VALUES),
});

type Fields = z.output<typeof fields>;

const identifiersOf = ({ hwid, user_id: userId, push_token: pushToken }: Fields): BulkEntry['identifier'][] =>
  [
    { $case: 'hwid' as const, value: hwid },
    { $case: 'userId' as const, value: userId },
    { $case: 'pushToken' as const, value: pushToken },
  ].filter((each): each is BulkEntry['identifier'] => each.value !== undefined);

const entry = fields
  .refine((given) => identifiersOf(given).length === 1, 'only one of hwid, user_id, push_token may be set')
  .transform((given): BulkEntry => {
    const [identifier] = identifiersOf(given);
    const integers = longIntegersIn(given.tags);
    const tags = tagTexts(given.tags);
    return { identifier: identifier!, listOperator: given.list_operator, tags, integers };
  });

export const bulkSetTags = audience('POST bulkSetTags', {
  description:
    "Sets tags of up to 50,000 devices, selected by hwid, user or push token. The job's rows list the tags that were " +
    "set. With `create_missing_tags`, missing tags are added up to the account's quota. HTTP 429 while the " +
    'application has 100 open jobs, or 256 MiB of entries in open jobs.',
  scope: 'api',
  maxBodyBytes: BULK_BODY_BYTES,
  entries: jobEntries,
  input: object({
    ...jobFields(entry),
    create_missing_tags: optional(boolean).describe(
      'Whether to add tags that the account lacks, with the type of their first value; false if left out.',
    ),
  }).transform((request) => ({
    application: request.application,
    createMissingTags: request.create_missing_tags ?? false,
    devices: request.devices,
  })),
  output: jobStarted,
  examples: [
    {
      request: {
        application: 'A1B2C-3D4E5',
        create_missing_tags: true,
        devices: [
          { hwid: 'phone-1', list_operator: 'append', tags: { Interests: ['news'], Level: 5, Old: null } },
          { user_id: 'user-1', tags: {} },
          { push_token: 'fGx1a2b3c4d5', hwid: null, list_operator: null, tags: { Level: '6' } },
        ],
      },
      reply: exampleStarted,
    },
  ],
});

export const getBulkSetTags = audience('GET bulkSetTags/{request_id}', {
  description: 'Returns the progress of a bulkSetTags, and with `detailed` the result of each row.',
  scope: 'optional',
  input: jobQuery,
  output: shownTagsJob,
  examples: [
    {
      request: { ...exampleQuery, detailed: 'true' },
      reply: {
        ...exampleShown,
        devices_not_found: 0,
        devices_failed: 0,
        devices: [{ hwid: 'phone-1', status: 'done', tags: { Level: 'ok', Other: 'tag not found' } }],
      },
    },
  ],
});
