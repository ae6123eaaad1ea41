import { describe, expect, it } from '@jest/globals';
import { EnqueuedKind, EventDetails } from '@tidings/events';
import { occurrenceOf, reportPayload } from './report-payload.ts';

const bounce = { category: 'BOUNCED_HARD_GENERAL', code: '550', name: '5.1.1' };
const of = (kind: EnqueuedKind, details: Partial<EventDetails> = {}) => ({
  kind,
  entry: undefined,
  details: EventDetails.fromPartial(details),
});

describe('the payload of an event other than a Sent (R-EV2)', () => {
  it.each<[EnqueuedKind, Partial<EventDetails>, payload: object]>([
    [EnqueuedKind.ENQUEUED_KIND_DELIVERED, {}, {}],
    [
      EnqueuedKind.ENQUEUED_KIND_FAILED,
      { category: 'PROVIDER_ERROR', code: '0', name: 'timeout' },
      { category: 'PROVIDER_ERROR', code: '0', name: 'timeout' },
    ],
    [
      EnqueuedKind.ENQUEUED_KIND_BOUNCED,
      bounce,
      { type: 'hard', category: 'BOUNCED_HARD_GENERAL', code: '550', text: '5.1.1' },
    ],
    [
      EnqueuedKind.ENQUEUED_KIND_BOUNCED,
      { ...bounce, category: 'BOUNCED_UNDETERMINED' },
      { type: 'soft', category: 'BOUNCED_UNDETERMINED', code: '550', text: '5.1.1' },
    ],
    [EnqueuedKind.ENQUEUED_KIND_MAIL_OPENED, {}, { machine: false }],
    [EnqueuedKind.ENQUEUED_KIND_MAIL_CLICKED, { text: 'https://a.example/' }, { url: 'https://a.example/' }],
    [EnqueuedKind.ENQUEUED_KIND_MAIL_UNSUBSCRIBED, { category: 'news' }, { category: 'news' }],
    [EnqueuedKind.ENQUEUED_KIND_MAIL_UNSUBSCRIBED, {}, {}],
    [EnqueuedKind.ENQUEUED_KIND_MAIL_COMPLAINED, {}, {}],
  ])('has the fields of kind %i with %j', (kind, details, payload) => {
    expect(JSON.parse(reportPayload(of(kind, details)))).toEqual(payload);
  });

  it('names the entry of an inbox', () => {
    const entry = { order: 7n, removal: 1n };
    const payload = reportPayload({ kind: EnqueuedKind.ENQUEUED_KIND_INBOX_READ, entry, details: undefined });
    expect(payload).toBe('{"inbox_code":"7"}');
  });
});

describe('the occurrence of an event (R-EV4)', () => {
  it('depends on the URL and the second of a click, and is 1 otherwise', () => {
    const click = (text: string, at: number) => occurrenceOf(of(EnqueuedKind.ENQUEUED_KIND_MAIL_CLICKED, { text }), at);
    const clicks = [click('a', 1), click('b', 1), click('a', 2)];
    expect(new Set([...clicks, click('a', 1), 1]).size).toBe(4);
    expect(occurrenceOf(of(EnqueuedKind.ENQUEUED_KIND_MAIL_OPENED), 5)).toBe(1);
  });
});
