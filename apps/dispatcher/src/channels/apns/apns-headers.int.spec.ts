import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ALERT, LIVE_START, LIVE_UPDATE } from '@tidings/channels';
import { LiveActivity, LiveActivityEvent, LocaleSettings, type SendBatch } from '@tidings/events';
import { openFrameLink, openNodeLink } from '@tidings/http2';
import { ShiftedClock } from '@tidings/kernel';
import { LaneWorld } from '../../testing/lane-world.ts';
import { content, ios, sendBatch } from '../../testing/test-batches.ts';
import { apnsToken, generateApnsKey } from '../../testing/test-simulators.ts';
import { apnsChannel } from './apns-channel.ts';

const BUNDLE = 'com.example.app';
const RELEASED_AT = Math.floor(Date.now() / 1000);
const key = generateApnsKey();
const settings = {
  ios_gateway: '1',
  ios_bundle_id: BUNDLE,
  ios_key_id: key.keyId,
  ios_team_id: key.teamId,
  ios_key_file: Buffer.from(key.privateKey).toString('base64'),
  ios_key_password: '',
};

describe.each([
  ['frames of our own', openFrameLink],
  ['node:http2', openNodeLink],
])('the headers of a push to APNs over %s', (_, openLink) => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function headersOf(batch: SendBatch): Promise<Readonly<Record<string, IncomingHttpHeaders>>> {
    const seen: Record<string, IncomingHttpHeaders> = {};
    const server = createServer();
    server.on('stream', (stream, headers) => {
      seen[String(headers[':path']).replace('/3/device/', '')] = headers;
      stream.respond({ ':status': 200 }, { endStream: true });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closers.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const world = new LaneWorld(
      { 1: { settings } },
      (parts) => apnsChannel({ ...parts, urls: { production: url } }),
      new ShiftedClock(),
      openLink,
    );
    closers.push(() => world.close());
    const outcomes = await world.send({ ...batch, releasedAt: new Date(RELEASED_AT * 1000) });
    expect(new Set(outcomes.values())).toEqual(new Set(['SENT']));
    return seen;
  }

  const [first, second, third] = [0, 1, 2].map((n) => apnsToken('accepted', n)) as [string, string, string];
  const live = (event: LiveActivityEvent): LiveActivity =>
    LiveActivity.fromPartial({ id: 'order-17', event, attributesType: 'Order', attributes: '{}', contentState: '{}' });
  const { LIVE_ACTIVITY_EVENT_START: START, LIVE_ACTIVITY_EVENT_UPDATE: UPDATE } = LiveActivityEvent;

  it.each([
    [LIVE_START, START, undefined],
    // Half a day: as long as an activity lasts (R-S6).
    [LIVE_UPDATE, UPDATE, String(RELEASED_AT + 43_200)],
  ])('name the kind of a live activity: %s (R-M2, R-M3)', async (variant, event, expiration) => {
    const batch = sendBatch([{ number: 0, devices: [{ position: 0, token: first }] }], {
      variant,
      content: content({ liveActivity: live(event) }),
    });
    const { [first]: headers } = await headersOf(batch);
    expect(headers).toMatchObject({
      'apns-push-type': 'liveactivity',
      'apns-topic': `${BUNDLE}.push-type.liveactivity`,
      'apns-priority': '10',
      authorization: expect.stringMatching(/^bearer /),
    });
    expect(headers!['apns-expiration']).toBe(expiration);
    expect(headers!['apns-collapse-id']).toBe(headers!['apns-id']);
  });

  it('are those of the settings of a locale (R-O4)', async () => {
    const devices = [first, second, third].map((token, position) => ({
      position,
      token,
      language: ['de', 'fr', 'it'][position]!,
    }));
    const various = content({
      ios: ios({ ttlSeconds: 60 }),
      settings: [
        LocaleSettings.fromPartial({ language: 'de', ios: { ttlSeconds: 3600, silent: true } }),
        LocaleSettings.fromPartial({ language: 'fr', ios: { ttlSeconds: 0 } }),
        LocaleSettings.fromPartial({ language: 'default', ios: { badge: '1' } }),
      ],
    });
    const seen = await headersOf(sendBatch([{ number: 0, devices }], { variant: ALERT, content: various }));
    const shown = [first, second, third].map((token) => {
      const headers = seen[token]!;
      expect(headers['apns-topic']).toBe(BUNDLE);
      return ['apns-push-type', 'apns-priority', 'apns-expiration'].map((name) => headers[name]);
    });
    expect(shown).toEqual([
      ['background', '5', String(RELEASED_AT + 3600)],
      ['alert', '10', '0'],
      ['alert', '10', undefined],
    ]);
  });
});
