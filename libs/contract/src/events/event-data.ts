import { z } from 'zod';
import { platformWords } from '../statistics/platform-words.ts';
import { eventNames } from './event-names.ts';
import { eventTime, shownAttributes, type StreamedEvent } from './streamed-event.ts';

/** `Push Sent` is `push_sent`. */
export const eventWord = (name: string): string => name.toLowerCase().replace(' ', '_');

const details = z
  .object({
    category: z
      .string()
      .optional()
      .describe(
        'Of `…_failed` and `email_bounced`: category of the error. Of `email_unsubscribed`: category of mails.',
      ),
    code: z.string().optional().describe('Of `…_failed` and `email_bounced`: code of the provider or of the reply.'),
    name: z.string().optional().describe('Of `…_failed`: name of the error.'),
    type: z.enum(['hard', 'soft']).optional().describe('Of `email_bounced`: whether the address is dead.'),
    text: z.string().optional().describe('Of `email_bounced`: enhanced status, empty without one.'),
    machine: z.boolean().optional().describe('Of `email_opened`: always false, opens by machines cause no event.'),
    url: z.string().optional().describe('Of `email_clicked`: address of the link.'),
    inbox_code: z.string().optional().describe('Of `inbox_…`: identifies the entry of the inbox.'),
    subject: z.string().optional().describe('Of `email_sent`: subject of the mail.'),
    from: z.string().optional().describe("Of `email_sent`: sender's address."),
  })
  .describe('Depends on the event; an empty object for events without details.');

/** The data of an event in the format `json`: the record of a topic, and `data` of a CloudEvent in a post. */
export const eventDataSchema = z
  .object({
    id: z.string().describe('Identifies the event, the same at each delivery and for every subscription.'),
    event: z.enum(eventNames.map(eventWord)).describe('Name of the event.'),
    time: z.string().meta({ format: 'date-time' }).describe('Time at which it happened: ISO 8601, in UTC.'),
    application_code: z.string().describe('Code of the application.'),
    message_code: z.string().describe('Code of the message.'),
    message_id: z.int().describe('Number of the message, below 2^53.'),
    campaign_id: z.int().nullable().describe('Number of the campaign, below 2^53; null without one.'),
    platform: z.enum(Object.keys(platformWords).map((word) => word.toLowerCase())).describe('Platform of the device.'),
    hwid: z.string().describe('Identifies the device in its application.'),
    user_id: z.string().describe('User of the device; the hwid without one.'),
    payload: z
      .string()
      .nullable()
      .describe('What the provider received, as text; null for `email_sent`, and for events that are no `…_sent`.'),
    details,
    attributes: z
      .record(z.string(), z.unknown())
      .describe(
        "Attributes of the message in the device's language, by the names of `Attributes` of the proto; those with a " +
          'default are left out. `inbox_date` is ISO 8601, in UTC.',
      ),
  })
  .describe('An event of one device about one message.');

export type EventData = z.output<typeof eventDataSchema>;

/** Their category is a word of Tidings; that of an unsubscribe is the operator's. */
const withErrorCategory = /(Failed|Bounced)$/;

function detailsOf({ eventName, payload }: StreamedEvent): EventData['details'] {
  const given = JSON.parse(payload) as EventData['details'];
  return withErrorCategory.test(eventName) && given.category !== undefined
    ? { ...given, category: given.category.toLowerCase() }
    : given;
}

function attributesOf(event: StreamedEvent): Record<string, unknown> {
  const { inbox_date: seconds, ...attributes } = shownAttributes(event);
  return seconds === undefined
    ? attributes
    : { ...attributes, inbox_date: eventTime({ timestamp: new Date(Number(seconds) * 1000) }) };
}

const isHandedOver = (name: string): boolean => name.endsWith(' Sent') && name !== 'Email Sent';

/** Names are stable; times are ISO 8601; enums are in lower case; ids are below 2^53. */
export function eventDataOf(event: StreamedEvent): EventData {
  const { uuid, eventName, applicationCode, messageCode, messageId, campaignId, platform, hwid, userId } = event;
  const isPayload = isHandedOver(eventName);
  return {
    id: uuid,
    event: eventWord(eventName),
    time: eventTime(event)!,
    application_code: applicationCode,
    message_code: messageCode,
    message_id: Number(messageId),
    campaign_id: campaignId === 0n ? null : Number(campaignId),
    platform: platform.toLowerCase(),
    hwid,
    user_id: userId,
    payload: isPayload ? event.payload : null,
    details: isPayload ? {} : detailsOf(event),
    attributes: attributesOf(event),
  };
}
