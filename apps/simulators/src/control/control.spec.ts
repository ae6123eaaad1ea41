import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apnsReasonToken, apnsToken } from '../apns/apns-tokens.ts';
import { generateApnsKey } from '../provider-keys.ts';
import type { Simulators } from '../simulators.ts';
import { startSimulators } from '../simulators.ts';
import { apnsHeaders, apnsPayload, type Client, client, reasonIn, unsignedToken } from '../testing/test-client.ts';

describe('the control API', () => {
  let simulators: Simulators;
  let apns: Client;

  beforeAll(async () => {
    simulators = await startSimulators({ keepPayloads: true });
    apns = client(simulators.apnsUrl);
  });
  afterAll(async () => {
    apns.close();
    await simulators.close();
  });

  const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> => {
    const headers = { 'content-type': 'application/json' };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(simulators.controlUrl + path, init);
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const get = async (path: string): Promise<unknown> => (await call('GET', path)).body;
  const push = (token: string, authorization = unsignedToken()) =>
    apns.send(apnsHeaders(token, { authorization }), apnsPayload());

  it('shows the ledger and clears it', async () => {
    const token = apnsToken('accepted', 1);
    await push(token);
    await push(token);
    await push(apnsReasonToken('BadTopic', 1));
    expect(await get('/ledger/summary')).toMatchObject({
      apns: { accepted: 2, refused: 1, byReason: { accepted: 2, BadTopic: 1 }, tokens: 1, duplicates: 1, masked: 0 },
      fcm: { accepted: 0 },
      'google-oauth': { accepted: 0 },
    });
    expect(await get('/ledger/entries?provider=apns&reason=BadTopic')).toMatchObject([{ row: 2, status: 400 }]);
    const query = `/ledger/entries?provider=apns&token=${token}&limit=1&offset=1`;
    expect(await get(query)).toMatchObject([{ row: 1, payload: apnsPayload() }]);
    expect(await get(`/ledger/devices?provider=apns&token=${token}`)).toMatchObject([{ token, accepted: 2 }]);
    expect((await call('POST', '/ledger/reset')).status).toBe(204);
    expect(await get('/ledger/summary')).toMatchObject({ apns: { accepted: 0, refused: 0, byReason: {} } });
    expect((await call('POST', '/ledger/reset', { keepPayloads: false })).status).toBe(204);
    await push(token);
    expect((await get('/ledger/entries?provider=apns')) as object[]).toEqual([
      expect.not.objectContaining({ payload: 1 }),
    ]);
  });

  it('sets, shows and clears faults', async () => {
    const set = await call('POST', '/faults', { provider: 'apns', answer: 'Shutdown', retryAfterSeconds: 9 });
    expect(set).toMatchObject({ status: 201, body: { apns: { answer: 'Shutdown' }, fcm: { answer: null } } });
    const seen = await push(apnsToken('accepted', 1));
    expect([seen.status, seen.headers['retry-after']]).toEqual([503, '9']);
    expect(await get('/faults')).toMatchObject({ apns: { retryAfterSeconds: 9, down: false } });
    expect((await call('DELETE', '/faults')).body).toMatchObject({ apns: { answer: null, retryAfterSeconds: 1 } });
    expect((await push(apnsToken('accepted', 1))).status).toBe(200);
  });

  it('reports a mail to a server of incoming mail', async () => {
    await call('POST', '/ledger/reset', { keepPayloads: true });
    const port = Number(new URL(simulators.smtpUrl).port);
    const mail = 'To: anna@mail.example\r\nMessage-ID: <P_0_1_a-b-c_d.token@shop.example>\r\n\r\nHello\r\n';
    const returned = `Return-Path: <b-1@bounces.example>\r\n${mail}`;
    const email = simulators.ledger.of('email');
    const push = { hash: '', collapseId: '', id: '', payload: Buffer.from(returned) };
    email.record({ ...push, token: 'anna@mail.example' }, 250, 'accepted');
    const report = (what: object) => call('POST', '/mail/reports', { address: 'anna@mail.example', port, ...what });
    const bounced = { is: 'bounced', reply: '550 5.1.1 unknown' };
    expect(await report(bounced)).toEqual({ status: 200, body: { status: 250 } });
    expect(await report({ is: 'complained', to: 'complaints@bounces.example' })).toMatchObject({ status: 200 });
    const [bounce, complaint] = ['b-1@bounces.example', 'complaints@bounces.example'].map((token) =>
      String(email.entries({ token })[0]?.payload),
    );
    expect(bounce).toContain('Diagnostic-Code: smtp; 550 5.1.1 unknown\r\n');
    expect(complaint).toContain('Feedback-Type: abuse\r\n');
    expect(complaint).toContain('Message-ID: <P_0_1_a-b-c_d.token@shop.example>\r\n');
    expect(complaint).not.toMatch(/anna@|b-1@/);
    expect((await report({ ...bounced, reply: '250 fine' })).status).toBe(400);
    expect((await report({ ...bounced, address: 'boris@mail.example' })).status).toBe(404);
  });

  it('registers keys, expires access tokens and sets the clock', async () => {
    const { keyId, teamId, publicKey } = generateApnsKey();
    const forged = unsignedToken({ iss: teamId }, { kid: keyId });
    const other = client(simulators.apnsUrl);
    const send = () => other.send(apnsHeaders(apnsToken('accepted', 1), { authorization: forged }), apnsPayload());
    expect((await send()).status).toBe(200);
    expect((await call('POST', '/keys', { apns: [{ keyId, teamId, publicKey }] })).status).toBe(204);
    expect(reasonIn(await send())).toBe('InvalidProviderToken');
    other.close();

    const token = simulators.accessTokens.issue('a@b', []);
    expect((await call('POST', '/access-tokens', { expireAll: true, lifetimeSeconds: 60 })).status).toBe(204);
    expect(simulators.accessTokens.isExpired(simulators.accessTokens.find(token)!)).toBe(true);
    expect(simulators.accessTokens.lifetimeSeconds).toBe(60);

    const before = simulators.clock.now();
    expect((await call('POST', '/clock', { advance_seconds: 100 })).status).toBe(204);
    expect(simulators.clock.now() - before).toBeGreaterThanOrEqual(100_000);
  });

  it.each<[string, string, object | undefined]>([
    ['GET', '/ledger/entries', undefined],
    ['GET', '/ledger/devices?provider=nobody', undefined],
    ['GET', '/ledger/entries?provider=apns&limit=-1', undefined],
    ['POST', '/faults', { provider: 'apns', answer: 'UNREGISTERED' }],
    ['POST', '/faults', { answer: 'Shutdown' }],
    ['POST', '/faults', { lag: 5 }],
    ['POST', '/keys', { apns: [{ keyId: 'a', teamId: 'b', publicKey: 'c' }] }],
    ['POST', '/clock', { advance_seconds: -1 }],
  ])('refuses %s %s %j', async (method, path, body) => {
    expect((await call(method, path, body)).status).toBe(400);
  });
});
