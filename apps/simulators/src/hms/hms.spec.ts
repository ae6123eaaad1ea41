import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Simulators, startSimulators } from '../simulators.ts';
import { specialReasonToken, specialToken } from '../special-tokens.ts';
import { hashOf } from '../testing/test-client.ts';
import { HMS_CODES, type HmsCode } from './codes.ts';
import { HMS_TOKEN_PATH } from './hms.ts';

const APP = '1001';

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly code?: string;
  readonly msg: string;
}

describe('Push Kit', () => {
  let simulators: Simulators;
  let access: string;
  beforeAll(async () => {
    simulators = await startSimulators({ control: false });
    simulators.keys.register({ clients: [{ id: APP, secret: 'right' }] });
  });
  beforeEach(() => {
    simulators.reset();
    access = simulators.accessTokens.issue(APP, []);
  });
  afterAll(() => simulators.close());

  const url = (): string => simulators.urlOf('hms');
  async function send(message: unknown, authorization = `Bearer ${access}`, app = APP): Promise<Reply> {
    const reply = await fetch(`${url()}/v1/${app}/messages:send`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: typeof message === 'string' ? message : JSON.stringify({ message }),
    });
    const text = await reply.text();
    const body = text.startsWith('{') ? (JSON.parse(text) as { code: string; msg: string }) : { msg: text };
    return { status: reply.status, headers: reply.headers, ...body };
  }
  const to = (...token: string[]) => ({
    data: JSON.stringify({ p: hashOf('m', 0), pw_msg_tag: 'tag', title: 'hi' }),
    android: { urgency: 'HIGH', ttl: '60s' },
    token,
  });
  const codeOf = async (message: unknown): Promise<string | undefined> => (await send(message)).code;
  const grant = (fields: Record<string, string>): Promise<Response> =>
    fetch(url() + HMS_TOKEN_PATH, { method: 'POST', body: new URLSearchParams(fields) });

  it('grants access tokens to clients by their secret', async () => {
    const fields = { grant_type: 'client_credentials', client_id: APP, client_secret: 'right' };
    const reply = await grant(fields);
    expect(reply.status).toBe(200);
    const { access_token, expires_in } = (await reply.json()) as { access_token: string; expires_in: number };
    expect(expires_in).toBe(3599);
    expect((await send(to('t'), `Bearer ${access_token}`)).code).toBe('80000000');
    for (const wrong of [{ client_secret: 'wrong' }, { client_id: '' }, { grant_type: 'password' }]) {
      const refused = await grant({ ...fields, ...wrong });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: 1101 });
    }
  });

  it('accepts a push, and records its content', async () => {
    expect(await send(to('t1'))).toMatchObject({ status: 200, code: '80000000', msg: 'Success' });
    expect(simulators.ledger.of('hms').entries()).toMatchObject([
      { token: 't1', hash: hashOf('m', 0), collapseId: 'tag', reason: 'accepted' },
    ]);
  });

  it('lists the dead tokens among several, and refuses the request if all are dead', async () => {
    const dead = [specialToken('dead', 1), specialToken('badToken', 2)];
    const { code, msg } = await send(to('t1', dead[0]!, 't2'));
    expect(code).toBe('80100000');
    expect(JSON.parse(msg)).toEqual({ success: 2, failure: 1, illegal_tokens: [dead[0]] });
    expect(await codeOf(to(...dead))).toBe('80300007');
    expect(await codeOf(to('t1', 't2'))).toBe('80000000');
    expect(simulators.ledger.summary().hms).toMatchObject({ accepted: 4, refused: 3 });
  });

  it('refuses an access token that is unknown, of another app, or expired', async () => {
    expect(await send(to('t'), '')).toMatchObject({ status: 401, code: '80200001' });
    expect((await send(to('t'), 'Bearer x')).code).toBe('80200001');
    expect((await send(to('t'), undefined, '1002')).code).toBe('80200001');
    expect((await send(to('t'), undefined, '%')).code).toBe('80200001');
    simulators.accessTokens.expireAll();
    expect((await send(to('t'))).code).toBe('80200003');
  });

  it.each([
    ['80100001', '{'],
    ['80300010', {}],
    ['80300010', { ...to() }],
    ['80300010', { ...to(...Array.from({ length: 1001 }, (_, i) => `t${i}`)) }],
    ['80100003', { token: ['t'] }],
    ['80100003', { ...to('t'), data: { p: 'x' } }],
    ['80100001', { ...to('t'), android: { urgency: 'high' } }],
    ['80100001', { ...to('t'), android: { ttl: '1296001s' } }],
    ['80100001', { ...to('t'), android: { ttl: 60 } }],
    ['80100013', { ...to('t'), android: { collapse_key: 'message' } }],
    ['80300008', { ...to('t'), data: 'x'.repeat(4096) }],
  ])('answers %s to %j', async (code, message) => {
    expect(await codeOf(message)).toBe(code);
  });

  it('does not count the token as a part of the message', async () => {
    expect(await codeOf(to('t'.repeat(4096)))).toBe('80000000');
  });

  it.each(Object.keys(HMS_CODES) as HmsCode[])('answers %s to a token that requests it', async (name) => {
    const { status, code, headers } = await send(to(specialReasonToken(name, 1)));
    const answer: { status: number; code?: string } = HMS_CODES[name];
    expect([status, code]).toEqual([answer.status, answer.code]);
    expect(headers.get('retry-after')).toBe(status === 503 ? '1' : null);
  });

  it('closes or resets every n-th request of a connection if configured', async () => {
    await simulators.faults.set('hms', { resetEvery: 1 });
    await expect(send(to('t'))).rejects.toThrow();
    expect(simulators.ledger.summary().hms.byReason).toMatchObject({ resetUnread: 1 });
    await simulators.faults.set('hms', { resetEvery: 0, goawayEvery: 1 });
    expect((await send(to('t'))).headers.get('connection')).toBe('close');
    await simulators.faults.clear();
  });
});
