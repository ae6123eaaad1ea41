import { createSign } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateServiceAccount, publicKeyOf, type ServiceAccount } from '../provider-keys.ts';
import type { Simulators } from '../simulators.ts';
import { startSimulators } from '../simulators.ts';
import { client } from '../testing/test-client.ts';
import { fcmToken } from '../fcm/fcm-tokens.ts';

interface Reply {
  status: number;
  body: { access_token?: string; expires_in?: number; token_type?: string; error?: string; error_description?: string };
}

describe('the token endpoint of Google', () => {
  let simulators: Simulators;
  let account: ServiceAccount;
  let stranger: ServiceAccount;

  beforeAll(async () => {
    simulators = await startSimulators({ control: false });
    account = generateServiceAccount(simulators.tokenUrl, 'demo');
    stranger = generateServiceAccount(simulators.tokenUrl);
    simulators.keys.register({ google: [publicKeyOf(account)] });
  });
  beforeEach(() => simulators.reset());
  afterAll(() => simulators.close());

  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const assertion = (by: ServiceAccount, claims: object = {}, alg = 'RS256'): string => {
    const iat = Math.floor(Date.now() / 1000);
    const standard = {
      iss: account.client_email,
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      aud: simulators.tokenUrl,
      iat,
      exp: iat + 3600,
    };
    const signed = `${part({ alg, typ: 'JWT' })}.${part({ ...standard, ...claims })}`;
    return `${signed}.${createSign('sha256').update(signed).sign(by.private_key, 'base64url')}`;
  };
  const grant = async (text: string, type = 'urn:ietf:params:oauth:grant-type:jwt-bearer'): Promise<Reply> => {
    const body = new URLSearchParams({ grant_type: type, assertion: text });
    const response = await fetch(simulators.tokenUrl, { method: 'POST', body });
    return { status: response.status, body: (await response.json()) as Reply['body'] };
  };

  it('answers an access token that FCM accepts, for its own project only', async () => {
    const { status, body } = await grant(assertion(account));
    expect(status).toBe(200);
    expect(body).toEqual({ access_token: expect.stringMatching(/^ya29\./), expires_in: 3599, token_type: 'Bearer' });
    const fcm = client(simulators.fcmUrl);
    const statusFor = async (project: string): Promise<number> => {
      const headers = {
        ':path': `/v1/projects/${project}/messages:send`,
        authorization: `Bearer ${body.access_token}`,
      };
      return (await fcm.send(headers, JSON.stringify({ message: { token: fcmToken('accepted', 1) } }))).status;
    };
    expect([await statusFor('demo'), await statusFor('other')]).toEqual([200, 403]);
    fcm.close();
    expect(simulators.ledger.of('google-oauth').entries()).toMatchObject([
      { token: account.client_email, status: 200 },
    ]);
  });

  it('speaks HTTP/2 as well', async () => {
    const oauth = client(simulators.tokenUrl);
    const text = assertion(account, { aud: 'https://oauth2.googleapis.com/token' });
    const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: text });
    expect((await oauth.send({ ':path': '/token' }, body.toString())).status).toBe(200);
    oauth.close();
  });

  it('checks only the structure for unknown accounts', async () => {
    expect((await grant(assertion(account, { iss: stranger.client_email }))).status).toBe(200);
  });

  it.each<[string, () => [string, string?], string]>([
    ['a foreign signature', () => [assertion(stranger)], 'invalid_grant'],
    ['another audience', () => [assertion(account, { aud: 'https://example.com' })], 'invalid_grant'],
    ['an assertion that is over', () => [assertion(account, { iat: 1, exp: 3601 })], 'invalid_grant'],
    ['an assertion for too long', () => [assertion(account, { exp: Date.now() / 1000 + 7200 })], 'invalid_grant'],
    ['an assertion without an issuer', () => [assertion(account, { iss: undefined })], 'invalid_grant'],
    ['another algorithm', () => [assertion(account, {}, 'HS256')], 'invalid_grant'],
    ['what is no assertion', () => ['abc'], 'invalid_grant'],
    ['no scope', () => [assertion(account, { scope: '' })], 'invalid_scope'],
    ['no assertion', () => [''], 'invalid_request'],
    ['another grant type', () => [assertion(account), 'refresh_token'], 'unsupported_grant_type'],
  ])('refuses %s', async (_case, text, error) => {
    const { status, body } = await grant(...text());
    expect([status, body.error]).toEqual([400, error]);
    expect(body.error_description).toEqual(expect.any(String));
    expect(simulators.ledger.summary()['google-oauth'].byReason).toEqual({ [error]: 1 });
  });

  it('issues tokens of the configured lifetime', async () => {
    simulators.accessTokens.lifetimeSeconds = 60;
    const { body } = await grant(assertion(account));
    expect(body.expires_in).toBe(60);
    const token = simulators.accessTokens.find(body.access_token ?? '')!;
    expect(simulators.accessTokens.isExpired(token)).toBe(false);
    simulators.clock.advance(61_000);
    expect(simulators.accessTokens.isExpired(token)).toBe(true);
  });
});
