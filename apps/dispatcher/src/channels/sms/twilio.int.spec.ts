import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openFrameLink } from '@tidings/http2';
import { Platform } from '@tidings/kernel';
import { LaneWorld } from '../../testing/lane-world.ts';
import { content, sendBatch } from '../../testing/test-batches.ts';
import {
  REFUSED_TOKEN,
  smsNumber,
  smsStatusNumber,
  type Simulators,
  startSimulators,
} from '../../testing/test-simulators.ts';
import type { ReceiptStore } from './receipt-store.ts';
import { smsChannel } from './sms-channel.ts';

const noReceipts: ReceiptStore = {
  accepted: () => Promise.reject(new Error('not expected')),
  received: () => Promise.reject(new Error('not expected')),
  saveProgress: () => Promise.reject(new Error('not expected')),
  progressOf: () => Promise.reject(new Error('not expected')),
  expecting: async () => [],
};

const fail = (error: unknown): never => {
  throw error;
};

interface Form {
  readonly from: string;
  readonly body: string;
  readonly media: readonly string[];
}

describe("Twilio's Messages API", () => {
  let simulators: Simulators;
  const worlds: LaneWorld[] = [];
  let messages = 0;
  beforeAll(async () => {
    simulators = await startSimulators({ control: false, keepPayloads: true });
  });
  afterAll(async () => {
    for (const world of worlds) await world.close();
    await simulators.close();
  });

  function openWorld(more: Readonly<Record<string, string>> = {}): LaneWorld {
    const http = { sms_http_url: simulators.urlOf('sms'), sms_http_account: 'AC17', sms_http_token: 'secret' };
    const world = new LaneWorld(
      { [Platform.Sms]: { settings: { ...http, sms_sender: '+15017122661', ...more } } },
      (parts) => smsChannel({ ...parts, receipts: noReceipts, onError: fail }),
      simulators.clock,
      openFrameLink,
    );
    worlds.push(world);
    return world;
  }

  const batchOf = (numbers: readonly string[], contentOptions: Parameters<typeof content>[0] = {}) =>
    sendBatch([{ number: 0, devices: numbers.map((token, position) => ({ position, token })) }], {
      message: `C0DE-${messages++}`,
      platform: Platform.Sms,
      atMostOnce: true,
      credential: { application: 'AAAAA-00000', platform: Platform.Sms, version: 1 },
      content: content(contentOptions),
    });

  const formsTo = (number: string): Form[] =>
    simulators.ledger
      .of('sms')
      .entries({ token: number, reason: 'accepted' })
      .map(({ payload }) => JSON.parse(payload!) as Form);

  it('accepts a form for each number, with the subject and the media of an MMS', async () => {
    const world = openWorld();
    const numbers = Array.from({ length: 60 }, (_, n) => smsNumber('accepted', n));
    const text = { entries: [{ language: 'default', text: 'Größe & 5 €' }] };
    expect(new Set((await world.send(batchOf(numbers, { text }))).values())).toEqual(new Set(['SENT']));
    const sms = {
      text: undefined,
      title: { entries: [{ language: 'default', text: 'Subject' }] },
      fileUrls: ['https://a/b', 'https://a/c'],
    };
    await world.send(batchOf([numbers[0]!], { sms }));
    expect(formsTo(numbers[0]!)).toEqual([
      { to: numbers[0], from: '+15017122661', body: 'Größe & 5 €', media: [] },
      { to: numbers[0], from: '+15017122661', body: 'Subject\nHello', media: ['https://a/b', 'https://a/c'] },
    ]);
    expect(simulators.ledger.summary().sms.duplicates).toBe(0);
  });

  it('settles permanent refusals, and retries temporary ones', async () => {
    const kinds = [
      'dead',
      'badToken',
      'throttled',
      'unavailable',
      'serverError',
      'payloadRefused',
      'wrongTopic',
      'malformed',
    ] as const;
    const numbers = [
      ...kinds.map((kind, n) => smsNumber(kind, 100 + n)),
      smsStatusNumber(10, 1),
      smsNumber('lostReply', 108),
    ];
    const outcomes = await openWorld().send(batchOf(numbers), 90_000);
    expect(numbers.map((_, position) => outcomes.get(position))).toEqual([
      'INVALID_TOKEN 21211 invalid_to',
      'INVALID_TOKEN 21614 not_a_mobile_number',
      'SENT',
      'SENT',
      'PROVIDER_ERROR 500 20500',
      'INVALID_CONTENT 21617 body_too_long',
      'INVALID_CONFIGURATION 21606 from_cannot_send',
      'UNCLASSIFIED_ERROR 400 unreadable_reply',
      'INVALID_TOKEN 21610 unsubscribed_recipient',
      'INTERNAL_ERROR 0 unknown_outcome',
    ]);
  });

  it.each([
    ['a refused token', { sms_http_token: REFUSED_TOKEN }, 'INVALID_CONFIGURATION 20003 authentication_failed'],
    ['a private address', { sms_http_url: 'http://10.0.0.1' }, 'INVALID_CONFIGURATION 0 private_address'],
    ['no address', { sms_http_url: 'ftp://a' }, 'INVALID_CONFIGURATION 0 invalid_address'],
  ])('reports %s', async (_, more, expected) => {
    expect((await openWorld(more).send(batchOf([smsNumber('accepted', 200)]))).get(0)).toBe(expected);
  });
});
