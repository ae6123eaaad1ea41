import { describe, expect, it } from '@jest/globals';
import { eventJson } from '@tidings/contract';
import { Attributes, WebhookRequest } from '@tidings/rpc';

describe('an event as JSON (R-EV6)', () => {
  it('has the names of the proto, 64-bit integers as strings, and attributes without defaults', () => {
    const event = WebhookRequest.fromPartial({
      eventName: 'Push Sent',
      messageId: 2n ** 53n + 1n,
      messageCode: 'M',
      platform: 'IOS',
      hwid: 'h',
      applicationCode: 'A',
      userId: 'u',
      payload: '{"a":"\u2028\\"}',
      uuid: 'x',
      timestamp: new Date('2026-01-15T12:00:00Z'),
      attributes: {
        pushBody: 'Hi "you"',
        iosLiveActivityId: 'l',
        safariUrlArgs: ['a'],
        urlMinimize: 2,
        iosSilent: true,
      },
    });
    expect(JSON.parse(eventJson(event))).toEqual({
      event_name: 'Push Sent',
      message_id: '9007199254740993',
      message_code: 'M',
      campaign_id: '0',
      platform: 'IOS',
      application_code: 'A',
      hwid: 'h',
      user_id: 'u',
      payload: '{"a":"\u2028\\"}',
      uuid: 'x',
      timestamp: '2026-01-15T12:00:00Z',
      journey_title: '',
      journey_point_title: '',
      attributes: {
        push_body: 'Hi "you"',
        ios_live_activity_id: 'l',
        safari_url_args: ['a'],
        url_minimize: 2,
        ios_silent: true,
      },
    });
  });

  it('contains every field of the proto', () => {
    const shown = JSON.parse(eventJson(WebhookRequest.fromPartial({}))) as object;
    const fields = Object.keys(WebhookRequest.fromPartial({})).filter((name) => name !== '_unknownFields');
    expect(Object.keys(shown)).toHaveLength(fields.length);
    const filled = Object.keys(Attributes.fromPartial({})).filter((name) => name !== '_unknownFields');
    expect(filled).toHaveLength(47);
  });
});
