import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Content, LiveActivityEvent } from '@tidings/events';
import { apns } from './apns/apns-definition.ts';
import { LIVE_START } from './apns/live-activity.ts';
import { fcm } from './fcm/fcm-definition.ts';
import { android, ios, texts, written } from './testing/payloads.ts';

const folder = join(import.meta.dirname, '../../../docs/clients');

const payloadsIn = (page: string): unknown[] =>
  [...readFileSync(join(folder, page), 'utf8').matchAll(/^```json payload\n([\s\S]*?)^```/gm)].map(
    ([, text]): unknown => JSON.parse(text!),
  );

const bodyOf = (...parameters: Parameters<typeof written>): unknown =>
  JSON.parse(written(...parameters).body.toString());

const order: Partial<Content> = {
  title: texts({ en: 'Your order' }),
  text: texts({ en: 'It is on its way, {{Name||customer}}' }),
  tags: ['Name'],
  data: '{"order":17}',
  link: 'example://orders/17',
  ios: ios({ badge: '+1', attachment: 'https://example.com/17.png', rootParams: '{"aps":{"mutable-content":1}}' }),
  android: android({ badge: '+1', deliveryPriority: 'high', banner: 'https://example.com/17.png' }),
};
const sync: Partial<Content> = {
  text: undefined,
  data: '{"sync":true}',
  ios: ios({ silent: true }),
  android: android({ silent: true }),
};
const start: Partial<Content> = {
  title: texts({ en: 'Your order' }),
  text: texts({ en: 'It is on its way' }),
  liveActivity: {
    id: 'order-17',
    event: LiveActivityEvent.LIVE_ACTIVITY_EVENT_START,
    contentState: '{"minutes":12}',
    attributesType: 'OrderAttributes',
    attributes: '{"activityId":"order-17"}',
    timestamp: 1_768_392_000n,
  },
};

const entry = { order: 811_304_624_128_000n, removal: 1_768_435_201n };
const device = { values: ['Anna'], badge: 3, language: 'en', entry };

describe('the pages for apps', () => {
  it('show payloads of APNs as they are sent', () => {
    expect(payloadsIn('ios.md')).toEqual([
      bodyOf(apns, order, device),
      bodyOf(apns, sync),
      bodyOf(apns, start, { language: 'en', variant: LIVE_START }),
    ]);
  });

  it('show requests to FCM as they are sent', () => {
    const token = 'fGx1a2b3c4d5e6f7g8h9i0:APA91bHun4MxP5egoKMwt2KZFBaFUH1Example';
    expect(payloadsIn('android.md')).toEqual([bodyOf(fcm, order, { ...device, token }), bodyOf(fcm, sync, { token })]);
  });
});
