import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Content, EnqueuedKind, MessageAccepted } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { DeviceDescription } from '@tidings/rpc';
import type { StoredMessage } from '../facts/message-store.ts';
import { eventMaker } from './make.ts';

const content = Content.fromPartial({ text: { entries: [{ language: 'default', text: 'Hello' }] } });
const accepted = MessageAccepted.fromPartial({ content });

const messages: Readonly<Record<string, MessageAccepted>> = {
  good: accepted,
  bad: { ...accepted, campaignId: 'none' as unknown as bigint },
};

describe('a group of events', () => {
  it('is created in spite of an event without its message, and of one without its device', async () => {
    const maker = eventMaker({
      devices: {
        describe: async ({ seqs }) => ({
          devices: seqs.map((seq) => DeviceDescription.fromPartial({ found: seq !== 3, hwid: `device-${seq}` })),
          applicationTitle: 'News',
          mailFrom: '',
          badges: [],
        }),
      },
      sentValues: { find: async () => ({ found: [] }) },
      messages: {
        find: async (ids) =>
          new Map(
            [...ids].map((id): [string, StoredMessage] => [
              id,
              { code: id, bucket: 0, id: 20n, account: 'a', accepted: messages[id]! },
            ]),
          ),
      },
      reportKey: createSecretKey(new Uint8Array(32)),
    });
    const of = (message: string) => ({
      message,
      bucket: 0,
      application: 'AAAAA-00001',
      chunk: 0,
      kind: EnqueuedKind.ENQUEUED_KIND_OPENED,
      platform: Platform.iOS,
      variant: 'alert',
      slice: 0,
      entry: undefined,
      details: undefined,
    });
    const [good, bad] = [of('good'), of('bad')];
    const made = await maker.make('a', [
      { enqueued: bad, position: 1, at: 1 },
      { enqueued: good, position: 2, at: 1 },
      { enqueued: good, position: 3, at: 1 },
    ]);
    expect(made).toEqual([expect.any(Error), expect.objectContaining({ hwid: 'device-2' }), undefined]);
  });
});
