import { Platform } from '@tidings/kernel';
import type { z } from 'zod';
import { namedCampaign } from '../campaigns/campaign-code.ts';
import { json13 } from '../families/json13.ts';
import { instantInZone } from '../fields/zone-name.ts';
import { namedPreset } from '../presets/preset-code.ts';
import { boolean, identity, listOf, nonEmptyIdentity, nothing, object, oneOf, optional } from '../values.ts';
import { applicationOrGroup, refuseBoth, refuseListed, toApplicationOrGroup } from './application-or-group.ts';
import { cappingFields, cappingOf } from './capping.ts';
import { channelFields, channelMessage } from './channel-message.ts';
import { conditionFields } from './conditions.ts';
import { attachmentsOf, copies, emailBody, listUnsubscribe, mailboxOf, subject } from './email-fields.ts';
import { messageFields } from './message-fields.ts';
import { notificationEntries, notificationsOf } from './notifications.ts';
import { recipientFields, type Recipients, selectedRecipients } from './recipients.ts';
import { refuseRateOfDevices, sendRateFields, sendRateOf } from './send-rate.ts';
import { BY_LANGUAGE } from './texts.ts';

const MAX_NAMES = 1000;
const names = listOf(identity, MAX_NAMES);

const fields = {
  ...channelFields,
  preset: namedPreset.describe(
    'Code of an e-mail preset that supplies body and subject where they are left out. Its approval must not have ' +
      'been withdrawn.',
  ),
  subject: optional(subject).describe(
    'Subject, or subjects by language: taken under the key of the body, and empty if it lacks that key. A text ' +
      'serves every language.',
  ),
  content: optional(emailBody).describe(
    `HTML of the e-mail. ${BY_LANGUAGE} Values of placeholders are escaped, except \`Raw\` ones.`,
  ),
  attachments: optional(
    attachmentsOf({
      name: 'Name of the file, without slashes and control characters.',
      content: 'The file in base64, at most 1,048,576 characters.',
    }),
  ).describe('Files that every e-mail carries, at most 2.'),
  list_unsubscribe: optional(listUnsubscribe),
  campaign: optional(namedCampaign),
  ignore_user_timezone: messageFields.ignore_user_timezone,
  timezone: messageFields.timezone,
  devices: optional(names).describe(
    'Addresses of the recipients, at most 1,000; unknown ones are left out. Takes precedence over `users`, ' +
      '`filter` and `conditions`.',
  ),
  use_auto_registration: optional(boolean).describe(
    'Whether unknown addresses are registered; those that are not valid are left out.',
  ),
  users: optional(names).describe(
    'Ids of the users who receive the e-mail. Takes precedence over `filter` and `conditions`.',
  ),
  filter: recipientFields.filter,
  ...conditionFields,
  from: optional(mailboxOf({ name: 'Name that recipients see.', email: 'Address of the sender.' })).describe(
    'Sender, in place of the sender of the application.',
  ),
  'reply-to': optional(mailboxOf({ name: 'Name that recipients see.', email: 'Address for replies.' })).describe(
    'Addressee of replies, in place of the addressee of the application.',
  ),
  bcc: optional(copies).describe('Addresses that receive a copy of each e-mail, at most 10.'),
  email_type: optional(oneOf(['marketing', 'transactional'])).describe(
    '`marketing`, or `transactional`, the default. Marketing leaves out the control group and who has ' +
      'unsubscribed. A cap in the request applies if the field is left out.',
  ),
  email_category: optional(nonEmptyIdentity).describe(
    'Category of the subscription preferences, required for marketing. One of the categories of the account, if it ' +
      'has any.',
  ),
  ...cappingFields,
  ...sendRateFields,
};

type Given = z.output<z.ZodObject<typeof fields>>;

/** The first of `devices`, `users`, `filter`, `conditions` counts; the others are not checked (R-E8). */
function recipientsOf(given: Given, context: z.core.ParsePayload): Recipients {
  if (given.devices) {
    // Addresses are compared in lower case (R-E1), other hwids as they are (R-RES2).
    const hwids = new Set(given.devices.map((hwid) => (hwid.includes('@') ? hwid.toLowerCase() : hwid)));
    return { kind: 'contacts', platform: Platform.Email, names: [...hwids] };
  }
  if (given.users) return { kind: 'users', names: [...new Set(given.users)] };
  return selectedRecipients(given, context);
}

/** Marketing has a category (R-E13). */
function refuseIncomplete({ email_type, email_category }: Given, { issues }: z.core.ParsePayload): void {
  if (email_type !== 'marketing' || email_category !== undefined) return;
  issues.push({ code: 'custom', message: 'required for marketing', path: ['email_category'], input: undefined });
}

function sendAtOf({ send_date: date, timezone, ignore_user_timezone: isOneInstant = true }: Given) {
  if (date === undefined) return undefined;
  const ms = timezone === undefined || date.hasOffset ? date.ms : instantInZone(timezone, date.ms);
  return { at: new Date(ms), localAt: isOneInstant ? undefined : new Date(date.ms) };
}

/** An omitted type is transactional, but a cap of the request applies nevertheless (R-E12). */
function cappingFor(given: Given, context: z.core.ParsePayload) {
  const capping = cappingOf(given, context);
  const { email_type: type } = given;
  const isExempt = type === 'transactional' || (type === undefined && capping.cap === undefined);
  return { capping: isExempt ? { ...capping, cap: undefined } : capping, isCapped: type === undefined && !isExempt };
}

const notification = object(fields).transform((given, context) => {
  const recipients = recipientsOf(given, context);
  const { capping, isCapped } = cappingFor(given, context);
  refuseIncomplete(given, context);
  const message = channelMessage(given, {
    platform: Platform.Email,
    recipients,
    transactional: given.email_type !== 'marketing',
    content: {
      email: {
        subject: given.subject,
        body: given.content,
        from: given.from,
        replyTo: given['reply-to'],
        bcc: given.bcc ?? [],
        attachments: given.attachments ?? [],
        listUnsubscribe: given.list_unsubscribe,
        category: given.email_category,
      },
    },
  });
  return {
    message: {
      ...message,
      sendAt: sendAtOf(given),
      campaign: given.campaign ?? '',
      capping,
      sendRate: sendRateOf(given),
    },
    /** `devices` is ignored in a group (R-E8). */
    recipientsInGroup: (within: z.core.ParsePayload) => recipientsOf({ ...given, devices: undefined }, within),
    registers: given.use_auto_registration ?? false,
    isCapped,
  };
});

const input = object({ ...applicationOrGroup, notifications: notificationsOf(notification) }).transform(
  (request, context) => {
    const { applications_group: group } = request;
    refuseBoth(request, context);
    const notifications = request.notifications.map(({ recipientsInGroup, ...given }, index) => {
      if (group === undefined) {
        refuseRateOfDevices(given.message.sendRate, given.message.recipients, context);
        return given;
      }
      const within: z.core.ParsePayload = { value: given, issues: [] };
      const recipients = recipientsInGroup(within);
      for (const issue of within.issues) {
        context.issues.push({ ...issue, path: ['notifications', index, ...(issue.path ?? [])] });
      }
      return { ...given, registers: false, message: { ...given.message, recipients } };
    });
    const recipients = notifications.map(({ message }) => message.recipients);
    refuseListed(request, recipients, context);
    return { ...toApplicationOrGroup(request), notifications };
  },
);

export const createEmailMessage = json13('createEmailMessage', {
  description:
    'Sends each notification as an e-mail, whose body and subject are those of the preset where the request has ' +
    'none. Success has no response.',
  entries: notificationEntries,
  scope: 'api',
  input,
  output: nothing,
  examples: [
    {
      request: {
        auth: 'token',
        application: 'A1B2C-3D4E5',
        notifications: [
          {
            send_date: '2020-01-15 12:00',
            timezone: 'Europe/Berlin',
            ignore_user_timezone: false,
            preset: 'B1B2C-3D4E5',
            subject: 'News',
            email_type: 'transactional',
            conditions: [['Level', 'GTE', 5]],
            send_rate: 500,
          },
        ],
      },
      reply: undefined,
    },
    {
      request: {
        application: 'A1B2C-3D4E5',
        notifications: [
          {
            send_date: 'now',
            preset: 'B1B2C-3D4E5',
            subject: { en: 'Your order {{number}}', de: 'Deine Bestellung {{number}}' },
            content: { en: '<p>Thank you, {{Name}}</p>', de: '<p>Danke, {{Name}}</p>' },
            attachments: [{ name: 'order.txt', content: 'T3JkZXI=' }],
            campaign: 'C1B2C-3D4E5',
            devices: ['anna@example.com'],
            use_auto_registration: true,
            dynamic_content_placeholders: { number: '4711' },
            from: { name: 'Shop', email: 'shop@example.com' },
            'reply-to': { name: 'Help', email: 'help@example.com' },
            bcc: ['archive@example.com'],
            email_type: 'marketing',
            email_category: 'News',
            list_unsubscribe: 'https://example.com/leave',
            capping_days: 7,
            capping_count: 2,
            transactionId: 'order-4711',
          },
        ],
      },
      reply: undefined,
    },
    {
      request: {
        applications_group: 'B1B2C-3D4E5',
        notifications: [{ send_date: 'now', preset: 'B1B2C-3D4E5', email_type: 'transactional' }],
      },
      reply: undefined,
    },
  ],
});
