import { once } from 'node:events';
import { createSecureServer, type Http2SecureServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openFrameLink, openNodeLink } from '@tidings/http2';
import { ShiftedClock } from '@tidings/kernel';
import forge from 'node-forge';
import { sendBatch } from '../../testing/test-batches.ts';
import { LaneWorld } from '../../testing/lane-world.ts';
import { apnsToken, selfSigned } from '../../testing/test-simulators.ts';
import { apnsChannel } from './apns-channel.ts';

const PASSWORD = 'geheim';
const BUNDLE = 'com.example.cert';
const UID = '0.9.2342.19200300.100.1.1';

/** A certificate as Apple's portal gives it out and a keychain exports it, and the same as PEM. */
function pushCertificate(): { readonly p12: string; readonly pem: string } {
  const { pki, pkcs12, asn1, md } = forge;
  const { publicKey, privateKey } = pki.rsa.generateKeyPair(2048);
  const certificate = pki.createCertificate();
  certificate.publicKey = publicKey;
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date(Date.now() - 86_400_000);
  certificate.validity.notAfter = new Date(Date.now() + 86_400_000);
  const subject = [
    { type: UID, value: BUNDLE },
    { shortName: 'CN', value: `Apple Push Services: ${BUNDLE}` },
  ];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.sign(privateKey, md.sha256.create());
  const file = pkcs12.toPkcs12Asn1(privateKey, [certificate], PASSWORD, { algorithm: '3des' });
  return {
    p12: Buffer.from(asn1.toDer(file).getBytes(), 'latin1').toString('base64'),
    pem: pki.certificateToPem(certificate),
  };
}

const client = pushCertificate();
const { cert, key } = selfSigned();

describe.each([
  ['frames of our own', openFrameLink],
  ['node:http2', openNodeLink],
])('a push certificate over %s (R-A6)', (_, openLink) => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  /** A provider that takes certificates of this authority and nobody else. */
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
    const settings = { ios_key_file: client.p12, ios_key_password: password, ios_gateway: '1' };
    const opened = new LaneWorld(
      { 1: { settings } },
      (parts) => apnsChannel({ ...parts, urls: { production: url }, ca: [cert] }),
      new ShiftedClock(),
      openLink,
    );
    closers.push(() => opened.close());
    return opened;
  };
  const batch = () =>
    sendBatch([{ number: 0, devices: [{ position: 0, token: apnsToken('accepted', 0) }] }], {
      credential: { application: 'AAAAA-00000', platform: 1, version: 1 },
    });

  it('authenticates the connection instead of a token, and names the topic', async () => {
    const { pushes, url } = await provider(client.pem);
    expect([...(await world(url, PASSWORD).send(batch()))]).toEqual([[0, 'SENT']]);
    expect(pushes).toMatchObject([
      { subject: `Apple Push Services: ${BUNDLE}`, headers: { 'apns-topic': BUNDLE, 'apns-priority': '10' } },
    ]);
    expect(pushes[0]!.headers).not.toHaveProperty('authorization');
  });

  it('that its password does not open is refused before anything is sent', async () => {
    const { pushes, url } = await provider(client.pem);
    expect([...(await world(url, 'wrong').send(batch()))]).toEqual([[0, 'INVALID_CONFIGURATION 0 unusable_key']]);
    expect(pushes).toEqual([]);
  });
});
