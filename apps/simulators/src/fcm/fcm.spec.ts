import { request as http1 } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Kind } from '../behaviour.ts';
import type { Simulators } from '../simulators.ts';
import { startSimulators } from '../simulators.ts';
import { type Client, client, hashOf, type Seen } from '../testing/test-client.ts';
import { FCM_ERRORS, type FcmErrorName } from './errors.ts';
import { fcmReasonToken, fcmToken } from './fcm-tokens.ts';

interface Reply {
  error?: { code: number; status: string; message: string; details?: Record<string, unknown>[] };
  name?: string;
}

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';

describe('FCM', () => {
  let simulators: Simulators;
  let fcm: Client;
  let access: string;

  beforeAll(async () => {
    simulators = await startSimulators({ control: false });
  });
  beforeEach(() => {
    simulators.reset();
    access = simulators.accessTokens.issue('push@demo.iam.gserviceaccount.com', [SCOPE]);
    fcm?.close();
    fcm = client(simulators.fcmUrl);
  });
  afterAll(async () => {
    fcm.close();
    await simulators.close();
  });

  const path = '/v1/projects/demo/messages:send';
  const headers = (change: object = {}) => ({ ':path': path, authorization: `Bearer ${access}`, ...change });
  const post = (body: object | string, change: object = {}): Promise<Seen> =>
    fcm.send(headers(change), typeof body === 'string' ? body : JSON.stringify(body));
  const messageTo = (token: string, n = 0): object => ({
    message: {
      token,
      data: { pw_msg: '1', p: hashOf('m', n), title: 'hi' },
      android: { collapse_key: 'c1', priority: 'HIGH', ttl: '86400s' },
    },
  });
  const push = (token: string): Promise<Seen> => post(messageTo(token));
  const replyOf = ({ body }: Seen): Reply => JSON.parse(body) as Reply;
  const good = fcmToken('accepted', 1);

  it('accepts a push and names it', async () => {
    const seen = await push(good);
    expect(seen.status).toBe(200);
    expect(replyOf(seen).name).toMatch(/^projects\/demo\/messages\/0:\d{16}%[0-9a-f]{16}$/);
    const [entry] = simulators.ledger.of('fcm').entries();
    expect(entry).toMatchObject({
      token: good,
      collapseId: 'c1',
      hash: hashOf('m', 0),
      reason: 'accepted',
      status: 200,
    });
    expect(replyOf(seen).name).toBe(`projects/demo/messages/${entry?.id}`);
  });

  it('takes a notification, its tag as the collapse id, camel case and data of Android', async () => {
    const android = {
      notification: { tag: 't1' },
      data: { p: hashOf('m', 2) },
      ttl: '3.5s',
      restrictedPackageName: 'a.b',
    };
    const seen = await post({ message: { token: good, notification: { title: 'hi' }, android } });
    expect(seen.status).toBe(200);
    expect(simulators.ledger.of('fcm').entries()).toMatchObject([{ collapseId: 't1', hash: hashOf('m', 2) }]);
  });

  it('serves HTTP/1.1 on the same port', async () => {
    const { hostname, port } = new URL(simulators.fcmUrl);
    const status = await new Promise((resolve, reject) => {
      const request = http1({ hostname, port, path, method: 'POST', headers: { authorization: `Bearer ${access}` } });
      request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
      request.end(JSON.stringify(messageTo(good)));
    });
    expect(status).toBe(200);
  });

  describe('the validation of FCM', () => {
    it.each<[string, object | string, string | undefined]>([
      ['data that are not strings', { message: { token: good, data: { n: 5 } } }, 'message.data[0].value'],
      ['reserved data', { message: { token: good, data: { from: 'x' } } }, 'message.data'],
      ['data that are not a map', { message: { token: good, data: [] } }, 'message.data'],
      ['an unknown field', { message: { token: good, priority: 'high' } }, 'message'],
      ['an unknown field of Android', { message: { token: good, android: { time: 1 } } }, 'message.android'],
      ['a bad priority', { message: { token: good, android: { priority: 'MAX' } } }, 'message.android.priority'],
      ['a bad duration', { message: { token: good, android: { ttl: 60 } } }, 'message.android.ttl'],
      ['a duration over four weeks', { message: { token: good, android: { ttl: '2419201s' } } }, 'message.android.ttl'],
      [
        'a collapse key that is no string',
        { message: { token: good, android: { collapse_key: 1 } } },
        'message.android.collapse_key',
      ],
      ['no recipient', { message: { data: {} } }, 'message'],
      ['two recipients', { message: { token: good, topic: 'news' } }, 'message'],
      ['too many bytes', { message: { token: good, data: { a: 'é'.repeat(2048) } } }, 'message'],
      ['what is no JSON', '{"message":', ''],
    ])('refuses a request with %s', async (_case, body, field) => {
      const seen = await post(body);
      const { error } = replyOf(seen);
      expect([seen.status, error?.code, error?.status]).toEqual([400, 400, 'INVALID_ARGUMENT']);
      const details = error?.details ?? [];
      const violations = details.flatMap(({ fieldViolations }) => (fieldViolations ?? []) as { field: string }[]);
      expect(violations.map((violation) => violation.field)).toEqual([field]);
    });

    it('accepts data of exactly 4096 bytes', async () => {
      expect((await post({ message: { token: good, data: { a: 'x'.repeat(4095) } } })).status).toBe(200);
    });

    it.each<[string, () => object, number, string]>([
      ['no access token', () => ({ authorization: 'key=abc' }), 401, 'UNAUTHENTICATED'],
      ['an unknown access token', () => ({ authorization: 'Bearer ya29.x' }), 401, 'UNAUTHENTICATED'],
      ['an unknown path', () => ({ ':path': '/fcm/send' }), 404, 'NOT_FOUND'],
      [
        'an access token of another scope',
        () => ({ authorization: `Bearer ${simulators.accessTokens.issue('a@b', ['https://x/y'])}` }),
        403,
        'PERMISSION_DENIED',
      ],
    ])('refuses a push with %s', async (_case, change, status, name) => {
      const seen = await post(messageTo(good), change());
      expect([seen.status, replyOf(seen).error?.status]).toEqual([status, name]);
    });

    it('refuses a push with an expired access token', async () => {
      expect((await push(good)).status).toBe(200);
      simulators.accessTokens.expireAll();
      const seen = await push(good);
      expect(seen.status).toBe(401);
      expect(seen.headers['www-authenticate']).toContain('Bearer');
      expect(replyOf(seen).error).toMatchObject({
        status: 'UNAUTHENTICATED',
        details: [{ reason: 'ACCESS_TOKEN_EXPIRED' }],
      });
    });

    it.each(Object.keys(FCM_ERRORS) as FcmErrorName[])(
      'refuses a push with %s if its token requests it',
      async (name) => {
        const seen = await push(fcmReasonToken(name, 1));
        const { code, status, details } = FCM_ERRORS[name];
        expect(seen.status).toBe(code);
        if (name === 'BAD_GATEWAY') expect(seen.headers['content-type']).toContain('text/html');
        else expect(replyOf(seen).error).toMatchObject({ code, status, ...(details.length === 0 ? {} : { details }) });
        expect(seen.headers['retry-after']).toBe(code === 429 || code === 503 ? '1' : undefined);
        expect(simulators.ledger.summary().fcm.byReason).toEqual({ [name]: 1 });
      },
    );
  });

  describe('simulated registration tokens', () => {
    const tries = async (token: string, times: number): Promise<Seen[]> => {
      const seen: Seen[] = [];
      for (let i = 0; i < times; i++) seen.push(await push(token));
      return seen;
    };
    const codeOf = (seen: Seen): unknown =>
      replyOf(seen).error?.details?.find(({ errorCode }) => errorCode)?.['errorCode'];

    it.each<[Exclude<Kind, 'reason'>, number, string]>([
      ['dead', 404, 'UNREGISTERED'],
      ['badToken', 400, 'INVALID_ARGUMENT'],
      ['serverError', 500, 'INTERNAL'],
      ['payloadRefused', 400, 'INVALID_ARGUMENT'],
      ['wrongTopic', 403, 'SENDER_ID_MISMATCH'],
    ])('the kind %s is refused every time', async (kind, status, code) => {
      const seen = await tries(fcmToken(kind, 1), 2);
      expect(seen.map((each) => [each.status, codeOf(each)])).toEqual([
        [status, code],
        [status, code],
      ]);
    });

    it('the kind badToken is refused with the field of the token', async () => {
      const violation = { field: 'message.token', description: 'Invalid registration token' };
      expect(replyOf(await push(fcmToken('badToken', 1))).error?.details).toContainEqual(
        expect.objectContaining({ fieldViolations: [violation] }),
      );
    });

    it.each<[Exclude<Kind, 'reason'>, number]>([
      ['throttled', 429],
      ['unavailable', 503],
    ])('the kind %s is refused a number of times, with Retry-After', async (kind, status) => {
      const seen = await tries(fcmToken(kind, 1, 2), 3);
      expect(seen.map((each) => [each.status, each.headers['retry-after']])).toEqual([
        [status, '1'],
        [status, '1'],
        [200, undefined],
      ]);
    });

    it('the kind expiredAuth is refused until the access token changes', async () => {
      const token = fcmToken('expiredAuth', 1);
      expect((await tries(token, 2)).map(({ status }) => status)).toEqual([401, 401]);
      access = simulators.accessTokens.issue('push@demo.iam.gserviceaccount.com', [SCOPE]);
      expect((await push(token)).status).toBe(200);
    });

    it('the kind silent has no answer, and then is accepted', async () => {
      const token = fcmToken('silent', 1);
      expect(await Promise.race([push(token), push(fcmToken('slow', 1)).then(() => 'nothing')])).toBe('nothing');
      expect((await push(token)).status).toBe(200);
    });

    it('the kinds reset, refusedStream and lostReply reset their stream, and then are accepted', async () => {
      for (const [kind, reset] of [
        ['reset', 2],
        ['refusedStream', 7],
        ['lostReply', 2],
      ] as const) {
        const seen = await tries(fcmToken(kind, 1), 2);
        expect(seen.map((each) => [each.status, each.reset])).toEqual([
          [0, reset],
          [200, 0],
        ]);
      }
      expect(simulators.ledger.summary().fcm).toMatchObject({ accepted: 4, tokens: 3, duplicates: 1, masked: 1 });
    });

    it('the kinds disconnect and goawayBefore end the connection, and then are accepted on a new one', async () => {
      for (const kind of ['disconnect', 'goawayBefore'] as const) {
        const token = fcmToken(kind, 1);
        expect((await push(token)).status).toBe(0);
        fcm = client(simulators.fcmUrl);
        expect((await push(token)).status).toBe(200);
      }
    });

    it('the kind goaway sends GOAWAY behind the answer', async () => {
      expect((await push(fcmToken('goaway', 1))).status).toBe(200);
      expect(fcm.goaways[0]).toBe(1);
    });

    it('the kind malformed is accepted with a truncated reply', async () => {
      const seen = await push(fcmToken('malformed', 1));
      expect(seen.status).toBe(200);
      expect(() => replyOf(seen)).toThrow(SyntaxError);
    });
  });
});
