import { describe, expect, it } from '@jest/globals';
import { LiveActivity, LiveActivityEvent } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { content, isHashOf, texts, written } from '../testing/payloads.ts';
import { ALERT } from '../channel-definition.ts';
import { apns } from './apns-definition.ts';
import { apnsPushType } from './apns-payload.ts';
import { apnsKeptSeconds, LIVE_START, LIVE_UPDATE } from './live-activity.ts';

const {
  LIVE_ACTIVITY_EVENT_START: START,
  LIVE_ACTIVITY_EVENT_UPDATE: UPDATE,
  LIVE_ACTIVITY_EVENT_END: END,
} = LiveActivityEvent;

const live = (fields: Partial<LiveActivity>): LiveActivity =>
  LiveActivity.fromPartial({ id: 'order-17', contentState: '{"minutes": 5.0}', timestamp: 1_772_359_200n, ...fields });
const start = live({ event: START, attributesType: 'OrderAttributes', attributes: '{"order":17}' });

const bodyOf = (liveActivity: LiveActivity, variant: string, more: Parameters<typeof content>[0] = {}): string => {
  const fields = { text: undefined, liveActivity, ...more };
  const body = written(apns, fields, { variant, language: 'de', values: ['anna'] }).body.toString();
  const { p } = JSON.parse(body) as { p: string };
  expect(isHashOf(p, Platform.iOS)).toBe(true);
  return body.replace(p, '');
};

describe('an APNs payload of a live activity', () => {
  it('starts it, with the alert that announces it', () => {
    const more = {
      text: texts({ default: 'On its way', de: 'Unterwegs, {{Name|Uppercase|}}' }),
      title: texts({ default: 'Order 17' }),
      tags: ['Name'],
    };
    expect(bodyOf(start, LIVE_START, more)).toBe(
      '{"aps":{"timestamp":1772359200,"event":"start","content-state":{"minutes": 5.0},"attributes-type":"OrderAttributes",' +
        '"attributes":{"order":17},"alert":{"title":"Order 17","body":"Unterwegs, ANNA"}},"p":""}',
    );
  });

  it('updates it', () => {
    const update = live({ event: UPDATE, staleDate: 1_772_359_800n, relevanceScore: 120n });
    expect(bodyOf(update, LIVE_UPDATE)).toBe(
      '{"aps":{"timestamp":1772359200,"event":"update","content-state":{"minutes": 5.0},"stale-date":1772359800,' +
        '"relevance-score":120},"p":""}',
    );
  });

  it('ends it', () => {
    const end = live({ event: END, dismissalDate: 1_772_359_260n });
    expect(bodyOf(end, LIVE_UPDATE)).toBe(
      '{"aps":{"timestamp":1772359200,"event":"end","content-state":{"minutes": 5.0},"dismissal-date":1772359260},"p":""}',
    );
  });

  it('has 4,096 bytes at most (R-I23)', () => {
    const ofLength = (length: number) => {
      const liveActivity = live({ event: UPDATE, contentState: JSON.stringify({ x: 'x'.repeat(length) }) });
      return written(apns, { liveActivity }, { variant: LIVE_UPDATE });
    };
    const empty = ofLength(0).body.length;
    const fits = (length: number): boolean => {
      const { body, limit } = ofLength(length);
      return apns.fits(body, limit);
    };
    expect([fits(4096 - empty), fits(4097 - empty)]).toEqual([true, false]);
  });
});

describe('the pushes of a live activity', () => {
  const kind = (liveActivity: LiveActivity, variant: string) => ({
    platform: Platform.iOS,
    variant,
    content: content({ liveActivity }),
  });

  it('start it by the push-to-start token, or else are ordinary ones', () => {
    expect(apns.variantsFor(content({ liveActivity: start }))).toEqual([LIVE_START, ALERT]);
    expect(apns.variants[LIVE_START]).toMatchObject({ channel: 'apns', address: 'startToken' });
    expect(apnsPushType(kind(start, LIVE_START), '')).toBe('liveactivity');
    expect(apnsPushType(kind(start, ALERT), '')).toBe('alert');
  });

  it.each([
    ['update', UPDATE],
    ['end', END],
  ])('change it by its own token only: %s', (_, event) => {
    expect(apns.variantsFor(content({ liveActivity: live({ event }) }))).toEqual([LIVE_UPDATE]);
    expect(apns.variants[LIVE_UPDATE]).toMatchObject({ channel: 'apns', address: 'activityToken' });
    expect(apnsPushType(kind(live({ event }), LIVE_UPDATE), '')).toBe('liveactivity');
  });

  it('update it within minutes; APNs keeps the last one as long as the activity lasts (R-M3)', () => {
    const update = kind(live({ event: UPDATE }), LIVE_UPDATE);
    expect([apns.ttlSecondsOf(update), apnsKeptSeconds(update)]).toEqual([120, 43_200]);
    const started = kind(start, LIVE_START);
    expect([apns.ttlSecondsOf(started), apnsKeptSeconds(started)]).toEqual([undefined, undefined]);
  });
});
