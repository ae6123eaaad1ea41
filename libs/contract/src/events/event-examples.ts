import { eventNames } from './event-names.ts';
import type { StreamedEvent } from './streamed-event.ts';

type EventName = (typeof eventNames)[number];

const failure = '{"category":"PROVIDER_ERROR","code":"410","name":"Unregistered"}';
const ENTRY = '{"inbox_code":"17"}';

const payloads: Readonly<Record<EventName, string>> = {
  'Push Sent': '{"aps":{"alert":{"title":"News","body":"Hello"}},"p":"P_lQlKFY_1_bEL-4nm3p4-4bbkUN"}',
  'Push Delivered': '{}',
  'Push Opened': '{}',
  'Push Failed': failure,
  'Email Sent': '{"subject":"News","from":"news@shop.example"}',
  'Email Delivered': '{}',
  'Email Bounced': '{"type":"hard","category":"BOUNCED_HARD_GENERAL","code":"550","text":"5.1.1"}',
  'Email Opened': '{"machine":false}',
  'Email Clicked': '{"url":"https://shop.example/sale"}',
  'Email Unsubscribed': '{"category":"News"}',
  'Email Complained': '{}',
  'Email Failed': failure,
  'SMS Sent': '{"to":"+4915112345678","text":"Hello"}',
  'SMS Delivered': '{}',
  'SMS Failed': failure,
  'WhatsApp Sent': '{"to":"+4915112345678","type":"text","text":{"body":"Hello"}}',
  'WhatsApp Delivered': '{}',
  'WhatsApp Failed': failure,
  'LINE Sent': '{"to":["U1"],"messages":[{"type":"text","text":"Hello"}]}',
  'LINE Failed': failure,
  'Kakao Sent': '{"message":"Hello"}',
  'Kakao Failed': failure,
  'Inbox Delivered': ENTRY,
  'Inbox Read': ENTRY,
  'Inbox Opened': ENTRY,
  'Inbox Deleted': ENTRY,
};

const platforms: Readonly<Record<string, string>> = {
  Email: 'EMAIL',
  SMS: 'SMS',
  WhatsApp: 'WHATS_APP',
  LINE: 'LINE',
  Kakao: 'KAKAO',
};

function exampleOf(name: EventName, at: number): StreamedEvent {
  const [channel = ''] = name.split(' ');
  const inbox = channel === 'Inbox' ? { inboxCode: '17', inboxDate: 1_771_070_400 } : {};
  return {
    eventName: name,
    messageId: 20_012_343_258n,
    messageCode: 'C3F8-C3863ED4-334AD4F1',
    campaignId: channel === 'Email' ? 20_012_343_111n : 0n,
    platform: platforms[channel] ?? 'IOS',
    applicationCode: 'A1B2C-3D4E5',
    hwid: 'phone-1',
    userId: 'user-1',
    payload: payloads[name],
    timestamp: new Date(Date.UTC(2026, 0, 15, 12, 0, at)),
    journeyTitle: '',
    journeyPointTitle: '',
    attributes: { userId: 'user-1', pushTitle: 'News', pushBody: 'Hello', iosSilent: false, urlMinimize: 2, ...inbox },
    uuid: `1ba7b7a1-80d3-517b-86b1-cfeb38b2cb${String(at).padStart(2, '0')}`,
  };
}

/** One of each event. */
export const eventExamples: readonly StreamedEvent[] = eventNames.map(exampleOf);
