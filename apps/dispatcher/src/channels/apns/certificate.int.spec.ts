import { once } from 'node:events';
import { createSecureServer, type Http2SecureServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { LIVE_START, LIVE_UPDATE } from '@tidings/channels';
import { openFrameLink, openNodeLink } from '@tidings/http2';
import { Platform, ShiftedClock } from '@tidings/kernel';
import { pushCertificate } from '@tidings/testing';
import { sendBatch } from '../../testing/test-batches.ts';
import { LaneWorld } from '../../testing/lane-world.ts';
import { apnsToken, selfSigned } from '../../testing/test-simulators.ts';
import { apnsChannel } from './apns-channel.ts';

const PASSWORD = 'geheim';
const BUNDLE = 'com.example.cert';
const WEBSITE = 'web.com.example.news';

const client = pushCertificate(`Apple Push Services: ${BUNDLE}`, { uid: BUNDLE, password: PASSWORD });
const website = pushCertificate(`Website Push ID: ${WEBSITE}`, { uid: WEBSITE, password: PASSWORD });
const { cert, key } = selfSigned();

describe.each([
  ['frames of our own', openFrameLink],
  ['node:http2', openNodeLink],
])('a push certificate over %s (R-A6)', (_, openLink) => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function provider(authority: string) {
    const pushes: { readonly subject: string; readonly headers: IncomingHttpHeaders }[] = [];
    const server: Http2SecureServer = createSecureServer({ cert, key, ca: [authority], requestCert: true });
    server.on('stream', (stream, headers) => {
      const { subject } = (stream.session!.socket as TLSSocket).getPeerCertificate();
      pushes.push({ subject: String(subject.CN), headers });
      stream.respond({ ':status': 200 }, { endStream: true });
    });
    for (const event of ['sessionError', 'tlsClientError']) server.on(event, () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closers.push(() => server.close());
    return { pushes, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  const world = (url: string, password: string): LaneWorld => {
    const ios = { ios_key_file: client.p12, ios_key_password: password, ios_gateway: '1' };
    const safari = { safari_key_file: website.p12, safari_key_password: password };
    const opened = new LaneWorld(
      { [Platform.iOS]: { settings: ios }, [Platform.Safari]: { settings: safari } },
      (parts) => apnsChannel({ ...parts, urls: { production: url }, ca: [cert] }),
      new ShiftedClock(),
      openLink,
    );
    closers.push(() => opened.close());
    return opened;
  };
  const batch = (platform: number = Platform.iOS) =>
    sendBatch([{ number: 0, devices: [{ position: 0, token: apnsToken('accepted', 0) }] }], {
      platform,
      credential: { application: 'AAAAA-00000', platform, version: 1 },
    });

  it('authenticates the connection instead of a token, and names the topic', async () => {
    const { pushes, url } = await provider(client.cert);
    expect([...(await world(url, PASSWORD).send(batch()))]).toEqual([[0, 'SENT']]);
    expect(pushes).toMatchObject([
      { subject: `Apple Push Services: ${BUNDLE}`, headers: { 'apns-topic': BUNDLE, 'apns-priority': '10' } },
    ]);
    expect(pushes[0]!.headers).not.toHaveProperty('authorization');
  });

  it('is for Safari if it is of a website, and names its push id (R-I22)', async () => {
    const { pushes, url } = await provider(website.cert);
    expect([...(await world(url, PASSWORD).send(batch(Platform.Safari)))]).toEqual([[0, 'SENT']]);
    expect(pushes).toMatchObject([
      {
        subject: `Website Push ID: ${WEBSITE}`,
        headers: { 'apns-topic': WEBSITE, 'apns-push-type': 'alert', 'apns-priority': '10' },
      },
    ]);
    expect(pushes[0]!.headers).not.toHaveProperty('authorization');
  });

  it.each([LIVE_START, LIVE_UPDATE])('is refused for %s, before anything is sent (R-M2)', async (variant) => {
    const { pushes, url } = await provider(client.cert);
    expect([...(await world(url, PASSWORD).send({ ...batch(), variant }))]).toEqual([
      [0, 'INVALID_CONFIGURATION 0 key_required'],
    ]);
    expect(pushes).toEqual([]);
  });

  it('is refused before anything is sent if its password does not open it', async () => {
    const { pushes, url } = await provider(client.cert);
    expect([...(await world(url, 'wrong').send(batch()))]).toEqual([[0, 'INVALID_CONFIGURATION 0 wrong_password']]);
    expect(pushes).toEqual([]);
  });
});
