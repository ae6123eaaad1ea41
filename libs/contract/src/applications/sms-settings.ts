import type { z } from 'zod';
import { isGiven, optionalUnless } from '../presence.ts';
import { integerOf, text, textOf } from '../values.ts';
import { platformFields } from './platform-settings.ts';

const http = ['sms_http_url', 'sms_http_account', 'sms_http_token'] as const;

type Name = 'sms_smpp_host' | 'sms_smpp_port' | 'sms_system_id' | 'sms_password' | (typeof http)[number];
type Request = Readonly<Record<string, unknown>>;

const usesHttp = (request: Request): boolean => http.some((name) => isGiven(request[name]));

/** Required with the others of its transport. */
const needed = <Schema extends z.ZodType>(name: Name, schema: Schema) =>
  optionalUnless(schema, (request) => {
    const isIts = usesHttp(request) === (http as readonly string[]).includes(name);
    return isIts && !isGiven(request[name]) ? name : undefined;
  });

const webAddress = text
  .refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), 'must be a URL of https or http')
  .meta({ format: 'uri', pattern: '^https?://' });

/** An SMSC, or Twilio's Messages API; beside fields of HTTP those of SMPP are not used (R-A6). */
export const smsFields = platformFields(
  {
    sms_smpp_host: needed('sms_smpp_host', textOf(1, 255)).describe(
      'Host of the SMS centre. Required without `sms_http_url`, as are the other fields of SMPP.',
    ),
    sms_smpp_port: needed('sms_smpp_port', integerOf(1, 65_535)).describe('Port of the SMS centre.'),
    sms_system_id: needed('sms_system_id', text).describe('SMPP system ID.'),
    sms_password: needed('sms_password', text).describe('SMPP password.'),
    sms_http_url: needed('sms_http_url', webAddress).describe(
      'Base URL of Twilio’s Messages API, or of one like it. In place of the fields of SMPP; MMS need it.',
    ),
    sms_http_account: needed('sms_http_account', textOf(1, 255)).describe('Account of the API.'),
    sms_http_token: needed('sms_http_token', textOf(1, 255)).describe('Auth token of the account.'),
    sms_sender: textOf(1, 20).describe('Sender name or number that recipients see.'),
  },
  { secrets: ['sms_password', 'sms_http_token'] },
);
