import { z } from 'zod';
import { eventTime, shownAttributes, type StreamedEvent } from './streamed-event.ts';

const number64 = z.string().meta({ pattern: String.raw`^\d+$` });

export const protoEventSchema = z
  .object({
    event_name: z.string().describe('Name of the event, such as `Push Sent`.'),
    message_id: number64.describe('Number of the message, as text.'),
    message_code: z.string().describe('Code of the message.'),
    campaign_id: number64.describe('Number of the campaign, as text; `0` without one.'),
    platform: z.string().describe('Platform of the device, such as `IOS`.'),
    application_code: z.string().describe('Code of the application.'),
    hwid: z.string().describe('Identifies the device in its application.'),
    user_id: z.string().describe('User of the device; the hwid without one.'),
    payload: z.string().describe('JSON text, by the name of the event.'),
    timestamp: z.string().meta({ format: 'date-time' }).describe('Time at which it happened: RFC 3339, in UTC.'),
    journey_title: z.string().describe('Always empty.'),
    journey_point_title: z.string().describe('Always empty.'),
    attributes: z
      .record(z.string(), z.unknown())
      .describe("Attributes of the message in the device's language; those with a default are left out."),
    uuid: z.string().describe('Identifies the event, the same at each delivery and for every subscription.'),
  })
  .describe('An event of one device about one message.');

/** Proto names, 64-bit integers as strings, RFC 3339, no default attributes (R-EV6). */
export const eventJson = (event: StreamedEvent): string =>
  JSON.stringify({
    event_name: event.eventName,
    message_id: String(event.messageId),
    message_code: event.messageCode,
    campaign_id: String(event.campaignId),
    platform: event.platform,
    application_code: event.applicationCode,
    hwid: event.hwid,
    user_id: event.userId,
    payload: event.payload,
    timestamp: eventTime(event),
    journey_title: event.journeyTitle,
    journey_point_title: event.journeyPointTitle,
    attributes: shownAttributes(event),
    uuid: event.uuid,
  });
