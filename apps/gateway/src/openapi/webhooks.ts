import {
  CLOUD_EVENTS_BATCH,
  cloudEventJson,
  cloudEventSchema,
  eventExamples,
  eventJson,
  protoEventSchema,
  type StreamedEvent,
} from '@tidings/contract';
import { z } from 'zod';
import { type Schema, simplified } from './simplify.ts';

const MOST_EVENTS = 500;

/** Receivers ignore fields that they do not know. */
function schemaOf(type: z.ZodType): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: 'input' });
  return simplified(schema);
}

const [sent, , opened] = eventExamples;

const batchOf = (event: z.ZodType, encode: (event: StreamedEvent) => string): Schema => ({
  schema: { type: 'array', minItems: 1, maxItems: MOST_EVENTS, items: schemaOf(event) },
  examples: { example1: { value: [sent!, opened!].map((one) => JSON.parse(encode(one)) as unknown) } },
});

const header = (name: string, description: string): Schema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const answers = z.array(
  z.object({
    uuid: z.string().describe('Identifies the event: its `uuid`, or `id` of a CloudEvent.'),
    status: z.string().describe('`ok`, `success` or `200` acknowledges the event; another status repeats it.'),
  }),
);

/** What subscribers by HTTP receive (R-EV6, R-EV8). */
export const webhooks: Readonly<Record<string, Schema>> = {
  events: {
    post: {
      operationId: 'events',
      summary: 'Events of a subscription',
      description:
        'Tidings posts the events of a subscription with an `http://` or `https://` endpoint. The format of the ' +
        'subscription determines the type: `application/json` for `protobuf`, ' +
        `\`${CLOUD_EVENTS_BATCH}\` for \`json\`. An event may come more than once, and has the same identifier then.`,
      security: [],
      parameters: [
        header('webhook-id', 'Identifies the post, also when it is repeated.'),
        header('webhook-timestamp', 'Time of the attempt, in Unix seconds.'),
        header(
          'webhook-signature',
          'Signatures as in Standard Webhooks: `v1,` and the base64 of the HMAC-SHA256 of `<id>.<timestamp>.<body>` ' +
            "under the subscription's secret; several are separated by spaces.",
        ),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': batchOf(protoEventSchema, eventJson),
          [CLOUD_EVENTS_BATCH]: batchOf(cloudEventSchema, cloudEventJson),
        },
      },
      responses: {
        200: {
          description:
            'Acknowledges all events, as any 2xx does within 30 seconds, or each by its status if the body is a list of ' +
            'answers. An event without an answer in the list is repeated.',
          content: {
            'application/json': {
              schema: schemaOf(answers),
              examples: { example1: { value: [{ uuid: sent!.uuid, status: 'ok' }] } },
            },
          },
        },
        default: { description: 'Tidings posts the events again after 1, 2, 4 and so on up to 60 seconds.' },
      },
    },
  },
};
