import { describe, expect, it } from '@jest/globals';
import { EnqueuedKind, SendBatch } from '@tidings/events';
import type { FindSentValuesRequest, SentValues } from '@tidings/rpc';
import { keptRecipients } from './kept-recipients.ts';
import type { DueEvent } from './due-event.ts';

const ends = (...of: number[]): Buffer => Buffer.from(Uint32Array.from(of).buffer);
const due = (position: number, fields: Partial<DueEvent['enqueued']> = {}): DueEvent => ({
  position,
  at: 0,
  enqueued: {
    message: 'M',
    bucket: 0,
    application: 'A',
    chunk: 3,
    kind: EnqueuedKind.ENQUEUED_KIND_SENT,
    platform: 1,
    variant: 'alert',
    slice: 5,
    entry: undefined,
    details: undefined,
    ...fields,
  },
});
const kept = SendBatch.fromPartial({
  message: 'M',
  application: 'A',
  chunk: 3,
  platform: 1,
  variant: 'alert',
  applicationTitle: 'News then',
  slices: [{ number: 5, first: 0, count: 2 }],
  positions: Buffer.from(Uint16Array.of(7, 9).buffer),
  tokens: Buffer.from('t7t9'),
  tokenEnds: ends(2, 4),
  languages: Buffer.from([0, 1]),
  languageNames: ['', 'de'],
  values: Buffer.from('AnnaBo'),
  valueEnds: ends(4, 6),
  content: { tags: ['Name'] },
  displayable: Buffer.from([3]),
  gone: Buffer.from([0]),
  checks: Buffer.alloc(6),
});

describe('the recipients of rendered pushes', () => {
  const requests: FindSentValuesRequest[] = [];
  const values: Pick<SentValues, 'find'> = {
    find: async (request) => {
      requests.push(request);
      return { found: [{ slice: 0, batch: kept }] };
    },
  };

  it('are requested together, by slice, for every Sent', async () => {
    const events = [
      due(7),
      due(8),
      due(9),
      due(9, { kind: EnqueuedKind.ENQUEUED_KIND_OPENED, slice: 0 }),
      due(9, { slice: 6 }),
    ];
    const found = await keptRecipients(values, events);
    expect(requests.splice(0).map(({ slices }) => slices)).toEqual([
      [
        {
          message: 'M',
          application: 'A',
          chunk: 3,
          positions: [7, 8, 9],
          slice: { bucket: 0, platform: 1, variant: 'alert', number: 5 },
        },
        {
          message: 'M',
          application: 'A',
          chunk: 3,
          positions: [9],
          slice: { bucket: 0, platform: 1, variant: 'alert', number: 6 },
        },
      ],
    ]);
    expect([...found.keys()]).toEqual([events[0], events[2]]);
    expect(found.get(events[0]!)).toMatchObject({ language: '', values: ['Anna'], applicationTitle: 'News then' });
    expect(found.get(events[2]!)).toMatchObject({ language: 'de', values: ['Bo'], index: 1 });
  });

  it('are not requested without a Sent', async () => {
    const found = await keptRecipients(values, [due(7, { kind: EnqueuedKind.ENQUEUED_KIND_FAILED })]);
    expect([found.size, requests]).toEqual([0, []]);
  });
});
