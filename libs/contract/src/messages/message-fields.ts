import { z } from 'zod';
import { namedCampaign } from '../campaigns/campaign-code.ts';
import { zoneName } from '../fields/zone-name.ts';
import { namedPreset } from '../presets/preset-code.ts';
import { boolean, identity, integer, integerOf, nonEmptyText, oneOf, optional, text, unchecked } from '../values.ts';
import { amazonFields } from './amazon.ts';
import { androidFields } from './android.ts';
import { cappingFields } from './capping.ts';
import { chromeFields, firefoxFields } from './browsers.ts';
import { huaweiFields } from './huawei.ts';
import { inboxFields } from './inbox.ts';
import { iosFields } from './ios.ts';
import { legacyFields } from './legacy.ts';
import { macFields } from './mac.ts';
import { safariFields } from './safari.ts';
import { sendDate } from './send-date.ts';
import { sendRateFields } from './send-rate.ts';
import { BY_LANGUAGE, jsonData, jsonObject, localized } from './texts.ts';
import { windowsFields } from './windows.ts';

const UINT32_MAX = 4_294_967_295;

export const transactionId = identity
  .refine((value) => value.length <= 255 || [...value].length <= 255, 'at most 255 characters')
  .meta({ maxLength: 255 })
  .describe(
    'Idempotency key: within 5 minutes a request with the same key sends nothing and returns the code of the first ' +
      'message.',
  );

const notAShortener = 'must be one of 0, 1, 2, 3, true, false';

/** The number names a shortener (R-I19). */
const minimizeLink = z.union(
  [
    integer.refine((value) => value >= 0 && value <= 3, notAShortener).transform((value) => value >= 2),
    z.boolean(notAShortener),
    z.literal(['true', 'false'], notAShortener).transform((word) => word === 'true'),
  ],
  notAShortener,
);

/** Not looked up (R-I30). */
const pageId = integerOf(0, UINT32_MAX);

export const messageFields = {
  send_date: optional(sendDate).describe(
    '`now`, or the time to send: `YYYY-MM-DD HH:mm` in UTC, at most 365 days ahead. A past time, or none, means ' +
      'now.',
  ),
  ignore_user_timezone: optional(boolean).describe(
    'Whether every recipient gets the message at the same moment. False makes `send_date` the time on the clock of ' +
      'each device, by its stored offset; where that has passed, the message is sent at once.',
  ),
  timezone: optional(zoneName).describe(
    'Name of the time zone of `send_date`, UTC if left out; with `ignore_user_timezone` false, of devices without a ' +
      'stored offset.',
  ),
  campaign: optional(namedCampaign),
  campaign_name: optional(unchecked({ type: 'string' })).describe(
    'Name of the campaign that the message counts for; created if missing. Ignored if `campaign` is given.',
  ),
  content: optional(localized).describe(
    `Text of the message. ${BY_LANGUAGE} It may contain placeholders such as \`{{Name|CapitalizeFirst|friend}}\`.`,
  ),
  title: optional(localized).describe(`Title of the message. ${BY_LANGUAGE}`),
  subtitle: optional(localized).describe(`Line below the title, on iOS. ${BY_LANGUAGE}`),
  link: optional(text).describe('URL that a tap opens.'),
  minimize_link: optional(minimizeLink).describe(
    '2, the default, replaces a web address by a short one; 0, 1 and false keep it; 3 and true mean 2. An address ' +
      'with placeholders is never replaced.',
  ),
  rich_media: optional(nonEmptyText).describe(
    'Code of the page of rich media that a tap opens. The payload carries it in `rm`; the page is not stored here.',
  ),
  page_id: optional(pageId).describe('Number of the HTML page that a tap opens. The payload carries it in `h`.'),
  rich_page_id: optional(pageId).describe('Former kind of `page_id`, which takes precedence.'),
  remote_page: optional(nonEmptyText).describe(
    'URL of the page that a tap shows in the app. The payload carries it in `r`.',
  ),
  data: optional(jsonData),
  transactionId: optional(transactionId),
  preset: optional(namedPreset),
  template_bindings: optional(jsonObject).describe(
    'Values for placeholders in the texts, by dotted path. They take precedence over other values.',
  ),
  dynamic_content_placeholders: optional(jsonObject).describe(
    'Values for placeholders in the texts, by name. A placeholder without a value takes the value of the tag of ' +
      'that name.',
  ),
  message_type: optional(oneOf(['marketing', 'transactional'])).describe(
    '`marketing`, the default, or `transactional`, which is exempt from frequency caps and control groups.',
  ),
  voip_push: optional(boolean).describe(
    'Whether the push is a call. An app with a service account or VoIP certificate receives it as one.',
  ),
  ...iosFields,
  ...androidFields,
  ...huaweiFields,
  ...amazonFields,
  ...cappingFields,
  ...macFields,
  ...chromeFields,
  ...firefoxFields,
  ...sendRateFields,
  ...safariFields,
  ...windowsFields,
  ...legacyFields,
  ...inboxFields,
};
