import { z } from 'zod';
import { type EventData, eventDataOf, eventDataSchema } from './event-data.ts';
import type { StreamedEvent } from './streamed-event.ts';

const JSON_TYPE = 'application/json';

export const CLOUD_EVENTS_BATCH = 'application/cloudevents-batch+json';

const context = {
  specversion: z.literal('1.0').describe('Version of CloudEvents.'),
  id: z.string().describe('Identifies the event, the same at each delivery and for every subscription.'),
  source: z.string().describe('`/applications/` and the code of the application.'),
  type: z.string().describe('`tidings.`, the channel and what happened, such as `tidings.push.sent`.'),
  subject: z.string().describe('Code of the message.'),
  time: z.string().meta({ format: 'date-time' }).describe('Time at which it happened: ISO 8601, in UTC.'),
};

/** The structured mode of JSON. */
export const cloudEventSchema = z
  .object({ ...context, datacontenttype: z.literal(JSON_TYPE).describe('Type of the data.'), data: eventDataSchema })
  .describe('An event as a CloudEvent.');

/** The binary mode of Kafka. */
export const kafkaHeadersSchema = z.object({
  ...Object.fromEntries(Object.entries(context).map(([name, type]) => [`ce_${name}`, type])),
  'content-type': z.literal(JSON_TYPE).describe('Type of the record; absent from records of the format `protobuf`.'),
});

type Context = { readonly [Name in keyof typeof context]: string };

/** Without the hwid: control characters are no CloudEvents string. */
const contextOf = ({ id, event, application_code: application, message_code: message, time }: EventData): Context => ({
  specversion: '1.0',
  id,
  source: `/applications/${application}`,
  type: `tidings.${event.replace('_', '.')}`,
  subject: message,
  time,
});

export function cloudEventJson(event: StreamedEvent): string {
  const data = eventDataOf(event);
  return JSON.stringify({ ...contextOf(data), datacontenttype: JSON_TYPE, data });
}

export interface KafkaEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly json: string;
}

export function kafkaEventOf(event: StreamedEvent): KafkaEvent {
  const data = eventDataOf(event);
  const headers: Record<string, string> = { 'content-type': JSON_TYPE };
  for (const [name, value] of Object.entries<string>(contextOf(data))) headers[`ce_${name}`] = value;
  return { headers, json: JSON.stringify(data) };
}

/** Of a record on the topic of a subscription. */
export const isJsonEvent = (headers: Readonly<Record<string, string>> | undefined): boolean =>
  headers?.['content-type'] === JSON_TYPE;
