import { Platform } from '@tidings/kernel';
import { audience } from '../families/audience.ts';
import { anyObject, integer, object, optional, text } from '../values.ts';
import {
  BULK_BODY_BYTES,
  type BulkEntry,
  exampleQuery,
  exampleShown,
  exampleStarted,
  jobFields,
  jobQuery,
  jobStarted,
  listOperator,
  shownJob,
} from './bulk.ts';

const entry = object({
  hwid: text,
  push_token: text,
  platform: integer,
  list_operator: listOperator,
  tags: optional(anyObject),
}).transform((given): BulkEntry => {
  // Addresses of mail are compared in lower case (R-E1).
  const value = given.platform === Platform.Email ? given.hwid.toLowerCase() : given.hwid;
  return {
    identifier: { $case: 'hwid', value },
    listOperator: given.list_operator,
    tags: given.tags,
    // What is no platform stays none in 32 bits, too.
    platform: given.platform >= 0 && given.platform < 2 ** 31 ? given.platform : 0,
    newPushToken: given.push_token,
  };
});

/** Registers up to 50,000 devices as registerDevice does; an entry that cannot be registered costs the others nothing (R-G5). Spec G. */
export const bulkRegisterDevice = audience('POST bulkRegisterDevice', {
  scope: 'api',
  maxBodyBytes: BULK_BODY_BYTES,
  input: object(jobFields(entry)),
  output: jobStarted,
  examples: [
    {
      request: {
        application: 'A1B2C-3D4E5',
        devices: [
          { hwid: 'phone-1', push_token: 'fGx1a2b3c4d5', platform: 3, list_operator: 'set', tags: { Level: 5 } },
          { hwid: 'phone-2', push_token: '', platform: '1', tags: null },
        ],
      },
      reply: exampleStarted,
    },
  ],
});

/** How far a bulkRegisterDevice has come, and with `detailed` what became of each entry (R-G4, R-G5). Spec G. */
export const getBulkRegisterDevice = audience('GET bulkRegisterDevice/{request_id}', {
  scope: 'optional',
  input: jobQuery,
  output: shownJob,
  examples: [{ request: exampleQuery, reply: exampleShown }],
});
