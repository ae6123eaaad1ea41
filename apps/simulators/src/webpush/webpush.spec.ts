import { createECDH, createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { encrypt } from 'http_ece';
import { type Simulators, startSimulators } from '../simulators.ts';
import { generateVapidKeys, type VapidKeys } from '../provider-keys.ts';
import { type Client, client } from '../testing/test-client.ts';
import { webPushReasonSubscription, type WebPushSubscription, webPushSubscription } from './webpush-subscriptions.ts';

const vapid = generateVapidKeys();

function signingKey({ publicKey, privateKey }: VapidKeys): KeyObject {
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)];
  return createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', d: privateKey, x, y } });
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

function authorization(claims: object, keys = vapid, shown = keys.publicKey): string {
  const text = `${encoded({ alg: 'ES256', typ: 'JWT' })}.${encoded(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: signingKey(keys), dsaEncoding: 'ieee-p1363' });
  return `vapid t=${text}.${signature.toString('base64url')}, k=${shown}`;
}

function bodyFor({ publicKey, authToken }: WebPushSubscription, plaintext = '{"p":"P_1_2_3-4"}'): Buffer {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  return encrypt(Buffer.from(plaintext), {
    version: 'aes128gcm',
    privateKey: ecdh,
    dh: publicKey,
    authSecret: Buffer.from(authToken, 'base64url'),
    salt: randomBytes(16),
  });
}

const inHours = (hours: number): number => Math.floor(Date.now() / 1000) + hours * 3600;

describe('the push service of browsers', () => {
  let simulators: Simulators;
  let connection: Client;
  beforeAll(async () => {
    simulators = await startSimulators({ control: false, keepPayloads: true });
    connection = client(simulators.webPushUrl);
  });
  beforeEach(() => simulators.reset());
  afterAll(async () => {
    connection.close();
    await simulators.close();
  });

  const good = webPushSubscription('accepted', 1);
  const valid = (): OutgoingHttpHeaders => ({
    authorization: authorization({ aud: simulators.webPushUrl, exp: inHours(12), sub: 'mailto:ops@example.com' }),
    ttl: '60',
    'content-encoding': 'aes128gcm',
    topic: 'AF0B',
    urgency: 'high',
  });
  const push = (subscription: WebPushSubscription, change: OutgoingHttpHeaders = {}, body = bodyFor(subscription)) => {
    const headers = { ':path': subscription.path, ...valid(), ...change };
    const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
    return connection.send(Object.fromEntries(sent), body);
  };

  it('accepts a push, and records the decrypted content', async () => {
    expect(await push(good)).toMatchObject({ status: 201, headers: { location: '/message/m-0' } });
    expect(simulators.ledger.of('webpush').entries()).toMatchObject([
      { token: good.path, collapseId: 'AF0B', hash: 'P_1_2_3-4', status: 201, payload: '{"p":"P_1_2_3-4"}' },
    ]);
  });

  it.each<[string, OutgoingHttpHeaders, number]>([
    ['no TTL', { ttl: undefined }, 400],
    ['a TTL that is no number', { ttl: '1.5' }, 400],
    ['an unknown urgency', { urgency: 'very-high' }, 400],
    ['a topic that is too long', { topic: 'x'.repeat(33) }, 400],
    ['a topic of other characters', { topic: 'a/b' }, 400],
    ['another encoding', { 'content-encoding': 'aesgcm' }, 400],
    ['no authorization', { authorization: undefined }, 401],
    ['an authorization of another scheme', { authorization: 'bearer x' }, 403],
  ])('refuses a push with %s', async (_, change, status) => {
    expect((await push(good, change)).status).toBe(status);
  });

  it.each<[string, (origin: string) => string]>([
    ['for another origin', () => authorization({ aud: 'https://elsewhere.example', exp: inHours(1) })],
    ['that has expired', (aud) => authorization({ aud, exp: inHours(-1) })],
    ['that lives too long', (aud) => authorization({ aud, exp: inHours(25) })],
    ['of another key', (aud) => authorization({ aud, exp: inHours(1) }, vapid, generateVapidKeys().publicKey)],
    ['with a contact that is no address', (aud) => authorization({ aud, exp: inHours(1), sub: 'ops' })],
  ])('refuses a VAPID token %s', async (_, made) => {
    expect((await push(good, { authorization: made(simulators.webPushUrl) })).status).toBe(403);
  });

  it('refuses content that its browser cannot decrypt', async () => {
    const other = webPushSubscription('accepted', 2);
    expect((await push(good, {}, bodyFor(other))).status).toBe(400);
    expect((await push(good, {}, Buffer.alloc(4097))).status).toBe(413);
  });

  it.each([
    ['dead', 410],
    ['badToken', 404],
    ['serverError', 500],
    ['payloadRefused', 413],
    ['wrongTopic', 403],
    ['expiredAuth', 401],
  ] as const)('answers a subscription of kind %s with %i', async (kind, status) => {
    expect((await push(webPushSubscription(kind, 1))).status).toBe(status);
  });

  it('throttles a number of times', async () => {
    const throttled = webPushSubscription('throttled', 1, 1);
    expect(await push(throttled)).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect((await push(throttled)).status).toBe(201);
  });

  it('answers with the requested status', async () => {
    expect((await push(webPushReasonSubscription('NotAcceptable', 1))).status).toBe(406);
    expect((await push({ ...good, path: '/elsewhere' })).status).toBe(404);
  });

  it('accepts only registered keys, once one is registered', async () => {
    simulators.keys.register({ vapid: [generateVapidKeys().publicKey] });
    expect((await push(good)).status).toBe(403);
    simulators.keys.register({ vapid: [vapid.publicKey] });
    expect((await push(good)).status).toBe(201);
  });
});
