import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cloudEventJson, cloudEventSchema, kafkaEventOf, kafkaHeadersSchema } from './cloud-event.ts';
import { type EventData, eventDataOf, eventDataSchema } from './event-data.ts';
import { eventExamples } from './event-examples.ts';
import { eventNames } from './event-names.ts';
import type { StreamedEvent } from './streamed-event.ts';

const golden = JSON.parse(readFileSync(new URL('golden-events.json', import.meta.url), 'utf8')) as EventData[];

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;

const valuesIn = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : [value];

const events = fc.record({
  eventName: fc.constantFrom(...eventNames),
  messageId: fc.bigInt({ min: 1n, max: 2n ** 53n - 1n }),
  messageCode: fc.string({ unit: 'binary' }),
  campaignId: fc.bigInt({ min: 0n, max: 2n ** 53n - 1n }),
  platform: fc.constantFrom('IOS', 'WHATS_APP'),
  applicationCode: fc.string(),
  hwid: fc.string({ unit: 'binary' }),
  userId: fc.string({ unit: 'binary' }),
  payload: fc.dictionary(fc.string(), fc.string()).map((of) => JSON.stringify(of)),
  timestamp: fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
  journeyTitle: fc.constant(''),
  journeyPointTitle: fc.constant(''),
  attributes: fc.record(
    {
      userData: fc.string({ unit: 'binary' }),
      inboxDate: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      iosSilent: fc.boolean(),
      safariUrlArgs: fc.array(fc.string()),
      chromeImage: fc.constant(undefined),
    },
    { requiredKeys: [] },
  ),
  uuid: fc.uuid(),
}) satisfies fc.Arbitrary<StreamedEvent>;

describe('the data of an event as JSON (R-EV8)', () => {
  it.each(eventExamples.map((example, i) => [example.eventName, example, golden[i]] as const))(
    'of %s has stable names and values',
    (_, example, expected) => {
      expect(eventDataOf(example)).toStrictEqual(expected);
      expect(eventDataSchema.parse(eventDataOf(example))).toStrictEqual(expected);
    },
  );

  it('has an example of each event', () => {
    expect(golden.map(({ event }) => event)).toEqual(eventNames.map((name) => name.toLowerCase().replace(' ', '_')));
  });

  it('parses, has times in ISO 8601, exact ids and no undefined value', () => {
    fc.assert(
      fc.property(events, (event) => {
        const data = eventDataOf(event);
        expect(JSON.parse(JSON.stringify(data))).toStrictEqual(data);
        expect(valuesIn(data)).not.toContain(undefined);
        expect([data.id, BigInt(data.message_id), data.hwid]).toEqual([event.uuid, event.messageId, event.hwid]);
        const { inbox_date: inboxDate = data.time } = data.attributes as { readonly inbox_date?: string };
        for (const time of [data.time, inboxDate]) expect(time).toMatch(TIME);
        expect(new Date(data.time)).toEqual(event.timestamp);
      }),
    );
  });
});

describe('an event as a CloudEvent (R-EV8)', () => {
  const opened = eventExamples.find(({ eventName }) => eventName === 'Push Opened')!;
  const context = {
    specversion: '1.0',
    id: opened.uuid,
    source: '/applications/A1B2C-3D4E5',
    type: 'tidings.push.opened',
    subject: 'C3F8-C3863ED4-334AD4F1',
    time: '2026-01-15T12:00:02Z',
  };

  it('has its attributes beside the data in posts', () => {
    const event = JSON.parse(cloudEventJson(opened)) as object;
    expect(event).toStrictEqual({ ...context, datacontenttype: 'application/json', data: eventDataOf(opened) });
    expect(cloudEventSchema.parse(event)).toStrictEqual(event);
  });

  it('has its attributes in headers in Kafka', () => {
    const { headers, json } = kafkaEventOf(opened);
    const expected = Object.fromEntries(Object.entries(context).map(([name, value]) => [`ce_${name}`, value]));
    expect(headers).toStrictEqual({ ...expected, 'content-type': 'application/json' });
    expect(kafkaHeadersSchema.parse(headers)).toStrictEqual(headers);
    expect(JSON.parse(json)).toStrictEqual(eventDataOf(opened));
  });
});
