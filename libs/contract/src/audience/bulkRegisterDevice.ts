import { addressKindOf, hwidOn, isRegistrable, Platform } from '@tidings/kernel';
import { z } from 'zod';
import { compiledOnFirstUse, parsed } from '../compiled.ts';
import { detailsIn, registrationFields } from '../devices/registerDevice.ts';
import { audience } from '../families/audience.ts';
import { emailFault } from '../fields/email-address.ts';
import { HWID, placeFields, userId } from '../fields/device.ts';
import { anyPushToken, pushTokenFault } from '../fields/push-token.ts';
import { issueText } from '../issue.ts';
import { boolean, integer, object, optional, text, unchecked, wellNamedTagValues } from '../values.ts';
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
  shownRegistrationsJob,
} from './bulk.ts';

const { language, timezone, app_version, device_model, os_version, ...more } = registrationFields.shape;
const { idfa, public_key, auth_token, fcm_token, fcm_push_set } = more;

const details = object({
  user_id: optional(userId),
  language,
  timezone,
  email: optional(text).describe('Address of an e-mail contact, instead of `push_token`.'),
  app_version,
  device_model,
  os_version,
  idfa,
  public_key,
  auth_token,
  fcm_token,
  fcm_push_set,
  adopt_by_token: optional(boolean).describe(
    'Whether the tags follow the push token: a device that registers it later gets those tags that it lacks. For ' +
      'imported devices, which their apps register again with another hwid.',
  ),
});

export const bulkDetailNames = Object.keys(details.shape) as (keyof typeof details.shape)[];

/** An invalid value fails its entry alone, so that the list is parsed without them (R-G5). */
const uncheckedDetail = (schema: z.ZodType) => {
  const { $schema: _, ...meta } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return unchecked(meta).optional();
};

const uncheckedDetails = Object.fromEntries(
  bulkDetailNames.map((name) => [name, uncheckedDetail(details.shape[name])]),
) as Record<keyof typeof details.shape, ReturnType<typeof uncheckedDetail>>;

const fields = object({
  hwid: text.describe(HWID),
  push_token: anyPushToken.describe('Token that the push provider issued to the device; an empty string removes it.'),
  platform: integer.describe('Platform code of the device.'),
  list_operator: listOperator,
  ...placeFields,
  tags: optional(wellNamedTagValues),
  ...uncheckedDetails,
});

type Fields = z.output<typeof fields>;
type Details = z.output<typeof details>;

interface Identity {
  readonly hwid: string;
  readonly pushToken: string;
  readonly platform: number;
  readonly fault?: string | undefined;
}

function platformFault({ platform, push_token: endpoint }: Fields, given: Details | undefined): string | undefined {
  if (!isRegistrable(platform)) return 'platform: unknown platform';
  if (endpoint === '' || addressKindOf(platform) !== 'endpoint') return undefined;
  const hasKeys = given && (given.fcm_token || (given.public_key && given.auth_token));
  return hasKeys ? undefined : 'public_key: must be set with auth_token, or fcm_token instead';
}

const deviceOf = (given: Fields, values: Details | undefined): Identity => ({
  hwid: hwidOn(given.platform, given.hwid) ?? given.hwid,
  pushToken: given.push_token,
  platform: given.platform,
  fault: platformFault(given, values),
});

/** The token is the address in lower case, as is an hwid that is an address (R-E1, R-E2). */
function emailContact({ hwid, push_token: token }: Fields, given: Details | undefined): Identity {
  const address = (given?.email || token || hwid).toLowerCase();
  return {
    hwid: hwid.includes('@') ? hwid.toLowerCase() : hwid,
    pushToken: address,
    platform: Platform.Email,
    fault: emailFault(address),
  };
}

function tokenFault({ hwid, pushToken, platform }: Identity): string | undefined {
  if (!hwid.isWellFormed()) return 'Hwid is not valid';
  if (!pushToken.isWellFormed()) return 'push_token: must not contain lone surrogates';
  const fault = pushTokenFault(platform, pushToken);
  return fault === undefined ? undefined : `push_token: ${fault}`;
}

function detailsOf(given: Fields): { readonly values?: Details; readonly fault?: string } {
  if (bulkDetailNames.every((name) => (given[name] ?? undefined) === undefined)) return {};
  const result = parsed(compiledOnFirstUse(details), given);
  return 'data' in result ? { values: result.data } : { fault: issueText(result.issue) };
}

const entry = fields.transform((given): BulkEntry => {
  const { values, fault: detailFault } = detailsOf(given);
  const identity = given.platform === Platform.Email ? emailContact(given, values) : deviceOf(given, values);
  const invalidToken = tokenFault(identity);
  const fault = invalidToken ?? detailFault ?? identity.fault;
  return {
    identifier: { $case: 'hwid', value: identity.hwid },
    listOperator: given.list_operator,
    tags: given.tags,
    platform: fault === undefined ? identity.platform : NO_PLATFORM,
    newPushToken: invalidToken === undefined ? identity.pushToken : '',
    country: given.country,
    city: given.city,
    details: values && { ...detailsIn(values), userId: values.user_id, adoptByToken: values.adopt_by_token },
    fault,
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
          {
            hwid: 'browser-1',
            push_token: 'https://push.example/1',
            platform: 11,
            public_key: 'BNcRd_9w',
            auth_token: 'tBHI',
            user_id: 'user-1',
            language: 'en',
            timezone: 3600,
          },
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
  output: shownRegistrationsJob,
  examples: [
    { request: exampleQuery, reply: exampleShown },
    {
      request: { ...exampleQuery, detailed: 'true' },
      reply: {
        ...exampleShown,
        devices: [
          { hwid: 'phone-1', status: 'done', tags: { Level: 'ok', Other: 'tag not found' } },
          { hwid: 'phone-2', status: 'failed', reason: 'timezone: must be -43200 to 50400' },
        ],
      },
    },
  ],
});
