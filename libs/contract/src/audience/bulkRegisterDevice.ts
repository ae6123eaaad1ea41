import { hwidOn, Platform } from '@tidings/kernel';
import type { z } from 'zod';
import { audience } from '../families/audience.ts';
import { emailFault } from '../fields/email-address.ts';
import { HWID, placeFields } from '../fields/device.ts';
import { anyPushToken, pushTokenFault } from '../fields/push-token.ts';
import { integer, object, optional, text, wellNamedTagValues } from '../values.ts';
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
  NO_PLATFORM,
  shownJob,
} from './bulk.ts';

const fields = object({
  hwid: text.describe(HWID),
  push_token: anyPushToken.describe('Token that the push provider issued to the device; an empty string removes it.'),
  platform: integer.describe('Platform code of the device.'),
  list_operator: listOperator,
  ...placeFields,
  tags: optional(wellNamedTagValues),
});

type Fields = z.output<typeof fields>;

/** Maps invalid platforms to one that 32 bits hold. */
const deviceOf = ({ hwid, push_token: token, platform }: Fields) => ({
  hwid: hwidOn(platform, hwid) ?? hwid,
  pushToken: token,
  platform: platform >= 0 && platform < 2 ** 31 ? platform : NO_PLATFORM,
});

/** The token is the address in lower case, as is an hwid that is an address (R-E1, R-E2). */
function emailContact({ hwid, push_token: token }: Fields) {
  const address = (token || hwid).toLowerCase();
  return {
    hwid: hwid.includes('@') ? hwid.toLowerCase() : hwid,
    pushToken: address,
    platform: emailFault(address) === undefined ? Platform.Email : NO_PLATFORM,
  };
}

const entry = fields.transform((given): BulkEntry => {
  const {
    platform,
    hwid,
    pushToken: token,
  } = given.platform === Platform.Email ? emailContact(given) : deviceOf(given);
  const fits = hwid.isWellFormed() && token.isWellFormed() && pushTokenFault(platform, token) === undefined;
  return {
    identifier: { $case: 'hwid', value: hwid },
    listOperator: given.list_operator,
    tags: given.tags,
    platform: fits ? platform : NO_PLATFORM,
    newPushToken: fits ? token : '',
    country: given.country,
    city: given.city,
  };
});

export const bulkRegisterDevice = audience('POST bulkRegisterDevice', {
  description:
    'Registers up to 50,000 devices as registerDevice does; an invalid entry does not affect the others. HTTP 429 ' +
    'while the application has 100 open jobs, or 256 MiB of entries in open jobs.',
  scope: 'api',
  maxBodyBytes: BULK_BODY_BYTES,
  entries: jobEntries,
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

export const getBulkRegisterDevice = audience('GET bulkRegisterDevice/{request_id}', {
  description: 'Returns the progress of a bulkRegisterDevice, and with `detailed` the result of each entry.',
  scope: 'optional',
  input: jobQuery,
  output: shownJob,
  examples: [{ request: exampleQuery, reply: exampleShown }],
});
