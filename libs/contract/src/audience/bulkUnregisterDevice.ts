import { audience } from '../families/audience.ts';
import { HWID } from '../fields/device.ts';
import { identity, object } from '../values.ts';
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
  shownJob,
} from './bulk.ts';

const entry = object({
  hwid: identity.describe(HWID),
}).transform(({ hwid }): BulkEntry => ({
  identifier: { $case: 'hwid', value: hwid },
  listOperator: 'set',
  tags: undefined,
}));

export const bulkUnregisterDevice = audience('POST bulkUnregisterDevice', {
  description:
    'Removes the push tokens of up to 50,000 devices, as unregisterDevice does. HTTP 429 while the application has ' +
    '100 open jobs, or 256 MiB of entries in open jobs.',
  scope: 'api',
  maxBodyBytes: BULK_BODY_BYTES,
  entries: jobEntries,
  input: object(jobFields(entry)),
  output: jobStarted,
  examples: [
    {
      request: { application: 'A1B2C-3D4E5', devices: [{ hwid: 'phone-1' }, { hwid: 'phone-2' }] },
      reply: exampleStarted,
    },
  ],
});

export const getBulkUnregisterDevice = audience('GET bulkUnregisterDevice/{request_id}', {
  description: 'Returns the progress of a bulkUnregisterDevice, and with `detailed` the result of each entry.',
  scope: 'optional',
  input: jobQuery,
  output: shownJob,
  examples: [{ request: exampleQuery, reply: exampleShown }],
});
