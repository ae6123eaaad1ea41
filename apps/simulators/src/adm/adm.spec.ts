import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Simulators, startSimulators } from '../simulators.ts';
import { specialReasonToken } from '../special-tokens.ts';
import { hashOf } from '../testing/test-client.ts';
import { ADM_TOKEN_PATH, movedToken } from './adm.ts';
import { checksumOf } from './adm-message.ts';
import { ADM_REASONS, type AdmReason } from './adm-reasons.ts';

const CLIENT = 'amzn1.application-oa2-client.1';

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly reason?: string;
  readonly registrationID?: string;
}

describe('ADM', () => {
  let simulators: Simulators;
  let access: string;
  beforeAll(async () => {
    simulators = await startSimulators({ control: false });
    simulators.keys.register({ clients: [{ id: CLIENT, secret: 'right' }] });
  });
  beforeEach(() => {
    simulators.reset();
    access = simulators.accessTokens.issue(CLIENT, ['messaging:push']);
  });
  afterAll(() => simulators.close());

  const url = (): string => simulators.urlOf('adm');
  const data = { p: hashOf('m', 0), title: 'hi' };
  async function send(token: string, message: unknown = { data }, more: Record<string, string> = {}): Promise<Reply> {
    const reply = await fetch(`${url()}/messaging/registrations/${encodeURIComponent(token)}/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${access}`,
        'content-type': 'application/json',
        'x-amzn-type-version': 'com.amazon.device.messaging.ADMMessage@1.0',
        'x-amzn-accept-type': 'com.amazon.device.messaging.ADMSendResult@1.0',
        ...more,
      },
      body: JSON.stringify(message),
    });
    const body = (await reply.json()) as Omit<Reply, 'status' | 'headers'>;
    return { status: reply.status, headers: reply.headers, ...body };
  }

  it('grants access tokens to clients by their secret, for its scope', async () => {
    const fields = {
      grant_type: 'client_credentials',
      client_id: CLIENT,
      client_secret: 'right',
      scope: 'messaging:push',
    };
    const grant = (change: Record<string, string> = {}): Promise<Response> =>
      fetch(url() + ADM_TOKEN_PATH, { method: 'POST', body: new URLSearchParams({ ...fields, ...change }) });
    const reply = await grant();
    expect(reply.status).toBe(200);
    const { access_token: token } = (await reply.json()) as { access_token: string };
    expect(await send('a', undefined, { authorization: `Bearer ${token}` })).toMatchObject({ status: 200 });
    expect((await grant({ client_secret: 'wrong' })).status).toBe(401);
    const wrongs: Record<string, string>[] = [{ scope: 'other' }, { client_id: '' }, { grant_type: 'password' }];
    for (const wrong of wrongs) {
      expect((await grant(wrong)).status).toBe(400);
    }
  });

  it('accepts a push, and returns the current registration id of the device', async () => {
    expect(await send('a/b', { data, consolidationKey: 'key' })).toMatchObject({ status: 200, registrationID: 'a/b' });
    expect(await send(movedToken('new'))).toMatchObject({ status: 200, registrationID: 'new' });
    expect(simulators.ledger.of('adm').entries()).toMatchObject([
      { token: 'a/b', hash: hashOf('m', 0), collapseId: 'key', reason: 'accepted' },
      { token: 'moved-to:new', reason: 'accepted' },
    ]);
  });

  it('refuses an access token that is unknown, of another scope, or expired', async () => {
    const other = simulators.accessTokens.issue(CLIENT, ['profile']);
    for (const authorization of ['', 'Bearer x', `Bearer ${other}`]) {
      expect(await send('a', undefined, { authorization })).toMatchObject({
        status: 401,
        reason: 'AccessTokenExpired',
      });
    }
    simulators.accessTokens.expireAll();
    expect((await send('a')).reason).toBe('AccessTokenExpired');
  });

  it.each([
    ['InvalidData', {}],
    ['InvalidData', { data: { n: 1 } }],
    ['MessageTooLarge', { data: { text: 'x'.repeat(6144) } }],
    ['InvalidConsolidationKey', { data, consolidationKey: 'x'.repeat(65) }],
    ['InvalidExpiration', { data, expiresAfter: 59 }],
    ['InvalidExpiration', { data, expiresAfter: '60' }],
    ['InvalidExpiration', { data, expiresAfter: 2_678_401 }],
    ['InvalidChecksum', { data, md5: 'x' }],
  ])('answers %s to %j', async (reason, message) => {
    expect((await send('a', message)).reason).toBe(reason);
  });

  it('verifies checksum and types', async () => {
    expect((await send('a', { data, md5: checksumOf(data) })).status).toBe(200);
    expect((await send('a', { data }, { 'x-amzn-type-version': '1' })).reason).toBe('InvalidType');
  });

  it.each(Object.keys(ADM_REASONS) as AdmReason[])('answers %s to a token that requests it', async (name) => {
    const { status, reason, headers } = await send(specialReasonToken(name, 1));
    expect([status, reason]).toEqual([ADM_REASONS[name], name]);
    expect(headers.get('retry-after')).toBe(status === 429 || status === 503 ? '1' : null);
  });
});
