import { createSign, sign } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Kind } from '../behaviour.ts';
import { generateApnsKey } from '../provider-keys.ts';
import type { Simulators } from '../simulators.ts';
import { startSimulators } from '../simulators.ts';
import {
  apnsHeaders,
  apnsPayload,
  type Client,
  client,
  hashOf,
  reasonIn,
  type Seen,
  unsignedToken,
} from '../testing/test-client.ts';
import { APNS_REASONS } from './reasons.ts';
import { APNS_MARKER, apnsReasonToken, apnsToken } from './apns-tokens.ts';

describe('APNs', () => {
  let simulators: Simulators;
  let apns: Client;

  beforeAll(async () => {
    simulators = await startSimulators({ control: false, keepPayloads: true });
  });
  beforeEach(() => {
    simulators.reset();
    apns?.close();
    apns = client(simulators.apnsUrl);
  });
  afterAll(async () => {
    apns.close();
    await simulators.close();
  });

  const push = (token: string, change: object = {}, body: string | Buffer = apnsPayload()): Promise<Seen> =>
    apns.send(apnsHeaders(token, { ...change }), body);
  const entries = () => simulators.ledger.of('apns').entries();
  const good = apnsToken('accepted', 1);

  describe('the acceptance of a push', () => {
    it('has an empty reply and an id of its own', async () => {
      const seen = await push(good, { 'apns-collapse-id': 'c1' }, apnsPayload(hashOf('m', 1)));
      expect(seen).toMatchObject({ status: 200, body: '', reset: 0 });
      expect(seen.headers['apns-id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(entries()).toEqual([
        {
          row: 0,
          token: good,
          id: seen.headers['apns-id'],
          collapseId: 'c1',
          hash: hashOf('m', 1),
          status: 200,
          reason: 'accepted',
          at: expect.any(Number),
          payload: apnsPayload(hashOf('m', 1)),
        },
      ]);
    });

    it('echoes the given id', async () => {
      const id = '0a1b2c3d-0000-4000-8000-00000000abcd';
      expect((await push(good, { 'apns-id': id })).headers['apns-id']).toBe(id);
      expect(entries()[0]?.id).toBe(id);
    });

    it.each([
      ['voip', 'com.example.app.voip', 5120],
      ['alert', 'com.example.app', 4096],
      ['liveactivity', 'com.example.app.push-type.liveactivity', 4096],
    ])('includes the largest payload of type %s', async (type, topic, limit) => {
      const body = Buffer.from(JSON.stringify({ aps: {}, x: '' }).padEnd(limit, ' '));
      const change = { 'apns-push-type': type, 'apns-topic': topic };
      expect((await push(good, change, body)).status).toBe(200);
      const over = await push(good, change, Buffer.concat([body, Buffer.from(' ')]));
      expect([over.status, reasonIn(over)]).toEqual([413, 'PayloadTooLarge']);
    });

    it('includes a push to a website without a provider token', async () => {
      const website = { 'apns-topic': 'web.com.example', authorization: undefined };
      expect((await push(good, website)).status).toBe(200);
      const byToken = await push(good, { 'apns-topic': 'web.com.example' });
      expect([byToken.status, reasonIn(byToken)]).toEqual([400, 'TopicDisallowed']);
    });

    it('includes a push without the optional headers', async () => {
      expect((await push(good, { 'apns-priority': undefined, 'apns-expiration': undefined })).status).toBe(200);
      expect((await push(good, { 'apns-push-type': 'background', 'apns-priority': '5' })).status).toBe(200);
    });
  });

  describe('the refusal of a push', () => {
    it.each<[string, number, object]>([
      ['MissingTopic', 400, { 'apns-topic': undefined }],
      ['BadTopic', 400, { 'apns-topic': 'com example' }],
      ['TopicDisallowed', 400, { 'apns-push-type': 'voip' }],
      ['InvalidPushType', 400, { 'apns-push-type': 'loud' }],
      ['InvalidPushType', 400, { 'apns-push-type': undefined }],
      ['BadPriority', 400, { 'apns-priority': '7' }],
      ['BadPriority', 400, { 'apns-push-type': 'background' }],
      ['BadExpirationDate', 400, { 'apns-expiration': 'tomorrow' }],
      ['BadMessageId', 400, { 'apns-id': '1234' }],
      ['BadCollapseId', 400, { 'apns-collapse-id': 'c'.repeat(65) }],
      ['DuplicateHeaders', 400, { 'apns-priority': ['10', '5'] }],
      ['MissingProviderToken', 403, { authorization: undefined }],
      ['MissingProviderToken', 403, { authorization: 'Basic abc' }],
      ['InvalidProviderToken', 403, { authorization: 'bearer abc' }],
      ['InvalidProviderToken', 403, { authorization: unsignedToken({}, { alg: 'RS256' }) }],
      ['InvalidProviderToken', 403, { authorization: unsignedToken({}, { kid: undefined }) }],
      ['InvalidProviderToken', 403, { authorization: unsignedToken({ iss: undefined }) }],
      ['InvalidProviderToken', 403, { authorization: unsignedToken({ iat: 'now' }) }],
      ['InvalidProviderToken', 403, { authorization: unsignedToken({ iat: Date.now() / 1000 + 600 }) }],
      ['ExpiredProviderToken', 403, { authorization: unsignedToken({ iat: Date.now() / 1000 - 3601 }) }],
      ['BadPath', 404, { ':path': '/2/device/00' }],
      ['MissingDeviceToken', 400, { ':path': '/3/device/' }],
      ['BadDeviceToken', 400, { ':path': `/3/device/${'g'.repeat(64)}` }],
      ['BadDeviceToken', 400, { ':path': `/3/device/${'a'.repeat(62)}` }],
      ['MethodNotAllowed', 405, { ':method': 'PUT' }],
    ])('has the reason %s and the status %i for a faulty push', async (reason, status, change) => {
      const seen = await push(good, change);
      expect([seen.status, reasonIn(seen)]).toEqual([status, reason]);
      expect(entries()).toMatchObject([{ status, reason }]);
    });

    it.each(['', '[]', '{"aps":', '7'])('includes the payload %j', async (body) => {
      expect(reasonIn(await push(good, {}, body))).toBe('PayloadEmpty');
    });

    it.each(APNS_REASONS)(
      'has the reason %s and the status %i if the device token requests it',
      async (reason, status) => {
        const seen = await push(apnsReasonToken(reason, 1));
        expect([seen.status, reasonIn(seen)]).toEqual([status, reason]);
        expect(seen.headers['retry-after']).toBe(status === 429 || status === 503 ? '1' : undefined);
      },
    );
  });

  describe('a registered key', () => {
    const key = generateApnsKey();
    const other = generateApnsKey();
    const tokenOf = (by: typeof key, header = { kid: key.keyId }, iss = key.teamId): string => {
      const [first, second] = unsignedToken({ iss }, header).slice(7).split('.');
      const options = { key: by.privateKey, dsaEncoding: 'ieee-p1363' as const };
      const signature = sign('sha256', Buffer.from(`${first}.${second}`), options).toString('base64url');
      return `bearer ${first}.${second}.${signature}`;
    };

    beforeAll(() => simulators.keys.register({ apns: [{ ...key, topics: ['com.example.app'] }] }));

    it('accepts only its own signature', async () => {
      expect((await push(good, { authorization: tokenOf(key) })).status).toBe(200);
      expect(reasonIn(await push(good, { authorization: tokenOf(other) }))).toBe('InvalidProviderToken');
      const foreignTeam = tokenOf(key, { kid: key.keyId }, other.teamId);
      expect(reasonIn(await push(good, { authorization: foreignTeam }))).toBe('InvalidProviderToken');
    });

    it('requires the signature as two numbers, not as DER', async () => {
      const [first, second] = tokenOf(key).slice(7).split('.');
      const der = createSign('sha256').update(`${first}.${second}`).sign(key.privateKey, 'base64url');
      expect(reasonIn(await push(good, { authorization: `bearer ${first}.${second}.${der}` }))).toBe(
        'InvalidProviderToken',
      );
    });

    it('is limited to its topics', async () => {
      const change = { authorization: tokenOf(key), 'apns-topic': 'com.example.other' };
      expect(reasonIn(await push(good, change))).toBe('TopicDisallowed');
    });

    it('limits a connection to one team', async () => {
      expect((await push(good)).status).toBe(200);
      expect(reasonIn(await push(good, { authorization: tokenOf(key) }))).toBe('UnrelatedKeyIdInToken');
    });
  });

  describe('simulated device tokens', () => {
    const tries = async (token: string, times: number): Promise<Seen[]> => {
      const seen: Seen[] = [];
      for (let i = 0; i < times; i++) seen.push(await push(token));
      return seen;
    };
    const statuses = (seen: Seen[]): number[] => seen.map(({ status }) => status);

    it.each<[Kind, number, string]>([
      ['dead', 410, 'Unregistered'],
      ['badToken', 400, 'BadDeviceToken'],
      ['serverError', 500, 'InternalServerError'],
      ['payloadRefused', 413, 'PayloadTooLarge'],
      ['wrongTopic', 400, 'DeviceTokenNotForTopic'],
    ])('the kind %s is refused every time', async (kind, status, reason) => {
      const seen = await tries(apnsToken(kind, 7), 2);
      expect(statuses(seen)).toEqual([status, status]);
      expect(seen.map(reasonIn)).toEqual([reason, reason]);
    });

    it('the kind dead is refused with the time of its death', async () => {
      const at = (seen: Seen): number => (JSON.parse(seen.body) as { timestamp: number }).timestamp;
      expect(Math.abs(at(await push(apnsToken('dead', 1))) - Date.now())).toBeLessThan(5000);
      expect(Math.abs(at(await push(apnsToken('dead', 1, 60))) - Date.now() + 3_600_000)).toBeLessThan(5000);
    });

    it.each<[Kind, number, string]>([
      ['throttled', 429, 'TooManyRequests'],
      ['unavailable', 503, 'ServiceUnavailable'],
    ])('the kind %s is refused a number of times, with Retry-After', async (kind, status, reason) => {
      const seen = await tries(apnsToken(kind, 7, 2), 3);
      expect(statuses(seen)).toEqual([status, status, 200]);
      expect(reasonIn(seen[0]!)).toBe(reason);
      expect(seen.map(({ headers }) => headers['retry-after'])).toEqual(['1', '1', undefined]);
    });

    it('the kind expiredAuth is refused until the provider token changes', async () => {
      const token = apnsToken('expiredAuth', 1);
      expect((await tries(token, 2)).map(reasonIn)).toEqual(['ExpiredProviderToken', 'ExpiredProviderToken']);
      const renewed = unsignedToken({}, { kid: 'KEY0000002' });
      expect((await push(token, { authorization: renewed })).status).toBe(200);
      expect(reasonIn(await push(apnsToken('expiredAuth', 2, 1), { authorization: renewed }))).toBe(
        'ExpiredProviderToken',
      );
    });

    it('the kind silent has no answer, and then is accepted', async () => {
      const token = apnsToken('silent', 1);
      const outcome = await Promise.race([push(token), push(apnsToken('slow', 1)).then(() => 'nothing')]);
      expect(outcome).toBe('nothing');
      expect((await push(token)).status).toBe(200);
      expect(entries().map(({ reason }) => reason)).toEqual(['silence', 'accepted', 'accepted']);
    });

    it('the kinds reset and refusedStream reset their stream, and then are accepted', async () => {
      const seen = [...(await tries(apnsToken('reset', 1), 2)), ...(await tries(apnsToken('refusedStream', 1), 2))];
      expect(seen.map(({ status, reset }) => [status, reset])).toEqual([
        [0, 2],
        [200, 0],
        [0, 7],
        [200, 0],
      ]);
    });

    it('the kind lostReply is accepted twice with one answer, which the ledger counts as a masked duplicate', async () => {
      const token = apnsToken('lostReply', 1);
      const change = { 'apns-collapse-id': 'same' };
      expect(await push(token, change)).toMatchObject({ status: 0, reset: 2 });
      expect((await push(token, change)).status).toBe(200);
      expect(simulators.ledger.summary().apns).toMatchObject({ accepted: 2, tokens: 1, duplicates: 1, masked: 1 });
    });

    it('the kind disconnect closes the connection, and then is accepted on a new one', async () => {
      const token = apnsToken('disconnect', 1);
      expect((await push(token)).status).toBe(0);
      apns = client(simulators.apnsUrl);
      expect((await push(token)).status).toBe(200);
    });

    it('the kind goaway sends GOAWAY behind the answer, and all earlier requests are answered', async () => {
      const all = [apnsToken('slow', 1), apnsToken('goaway', 1), good].map((token) => push(token));
      expect((await Promise.all(all)).map(({ status, reset }) => [status, reset])).toEqual([
        [200, 0],
        [200, 0],
        [200, 0],
      ]);
      expect(apns.goaways[0]).toBe(5);
      expect(simulators.ledger.summary().apns.accepted).toBe(3);
    });

    it('the kind goawayBefore sends GOAWAY below its stream', async () => {
      expect((await push(good)).status).toBe(200);
      const token = apnsToken('goawayBefore', 1);
      expect(await push(token)).toMatchObject({ status: 0, reset: 7 });
      expect(apns.goaways[0]).toBe(1);
      apns = client(simulators.apnsUrl);
      expect((await push(token)).status).toBe(200);
      expect(simulators.ledger.summary().apns.byReason).toEqual({ accepted: 2, goaway: 1 });
    });

    it('the kind malformed truncates a refusal', async () => {
      const seen = await push(apnsToken('malformed', 1));
      expect(seen.status).toBe(400);
      expect(() => JSON.parse(seen.body) as unknown).toThrow(SyntaxError);
    });

    it('the kind slow delays its answer by tenths of a second', async () => {
      const before = performance.now();
      expect((await push(apnsToken('slow', 1, 1))).status).toBe(200);
      expect(performance.now() - before).toBeGreaterThan(90);
    });
  });

  it('generates accepted tokens without the marker', () => {
    const tokens = Array.from({ length: 1000 }, (_, n) => apnsToken('accepted', n));
    expect(new Set(tokens).size).toBe(1000);
    expect(tokens.filter((token) => token.startsWith(APNS_MARKER) || !/^[0-9a-f]{64}$/.test(token))).toEqual([]);
  });
});
