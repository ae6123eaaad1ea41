import { generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Fault, ShiftedClock } from '@tidings/kernel';
import type { FormReply } from '../post-form.ts';
import { AccessToken } from './access-token.ts';
import { clientCredentialsGrant, serviceAccountGrant } from './grants.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const account = { clientEmail: 'a@b', key: privateKey, keyId: 'k1', tokenUri: 'https://token' };

function world(reply: (call: number) => FormReply, grant = serviceAccountGrant(account, 'push')) {
  const clock = new ShiftedClock();
  const calls: Readonly<Record<string, string>>[] = [];
  const postForm = async (_: string, fields: Readonly<Record<string, string>>): Promise<FormReply> => {
    calls.push(fields);
    return reply(calls.length);
  };
  return { clock, calls, token: new AccessToken({ grant, postForm, clock }) };
}
const granted = (call: number): FormReply => ({
  status: 200,
  body: JSON.stringify({ access_token: `t${call}`, expires_in: 3599, token_type: 'Bearer' }),
});

describe('an access token', () => {
  it('is requested with a signed assertion', async () => {
    const { token, calls } = world(granted);
    expect(await token.get()).toBe('t1');
    const [head, claims, signature] = calls[0]!['assertion']!.split('.');
    expect(calls[0]!['grant_type']).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    expect(verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature!, 'base64url'))).toBe(
      true,
    );
    expect(JSON.parse(Buffer.from(head!, 'base64url').toString())).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
    expect(JSON.parse(Buffer.from(claims!, 'base64url').toString())).toMatchObject({
      iss: 'a@b',
      scope: 'push',
      aud: 'https://token',
    });
  });

  it('is requested with the id and the secret of a client', async () => {
    const client = { id: 'me', secret: 's&=' };
    const own = { grant_type: 'client_credentials', client_id: 'me', client_secret: 's&=' };
    for (const [given, fields] of [
      [client, own],
      [
        { ...client, scope: 'messaging:push' },
        { ...own, scope: 'messaging:push' },
      ],
    ] as const) {
      const { token, calls } = world(granted, clientCredentialsGrant('https://token', given));
      expect(await token.get()).toBe('t1');
      expect(calls).toEqual([fields]);
    }
  });

  it('is requested once for concurrent callers, and cached', async () => {
    const { token, calls, clock } = world(granted);
    expect(await Promise.all([token.get(), token.get(), token.get()])).toEqual(['t1', 't1', 't1']);
    clock.advance(3_000_000);
    await token.get();
    expect(calls).toHaveLength(1);
  });

  it('is replaced before it expires', async () => {
    const { token, clock } = world(granted);
    await token.get();
    clock.advance(3_400_000);
    expect(await token.get()).toBe('t2');
  });

  it('is replaced once for all callers when the provider refuses it', async () => {
    const { token, calls } = world(granted);
    const old = await token.get();
    expect(await Promise.all([token.renewed(old), token.renewed(old)])).toEqual(['t2', 't2']);
    expect(await token.renewed(old)).toBe('t2');
    expect(calls).toHaveLength(2);
  });

  it.each([
    [400, '{"error":"invalid_grant"}', 'forbidden'],
    [401, '{"error":"invalid_client"}', 'forbidden'],
    [400, '{"error":1101,"sub_error":20003}', 'forbidden'],
    [200, `{"access_token":"${'a'.repeat(8193)}"}`, 'forbidden'],
    [200, `{"access_token": "${'a'.repeat(70_000)}`, 'forbidden'],
    [200, '{}', 'unavailable'],
    [200, '<html>', 'unavailable'],
    [200, '{"access_token":"a\\r\\nb"}', 'unavailable'],
    [302, '', 'unavailable'],
    [400, '{}', 'unavailable'],
    [400, '"invalid_client"', 'unavailable'],
    [400, '[{"error":"invalid_client"}]', 'unavailable'],
    [401, '<html>', 'unavailable'],
    [403, '{"error":"access_denied"}', 'unavailable'],
    [404, '<html>', 'unavailable'],
    [500, '', 'unavailable'],
    [503, '<html>', 'unavailable'],
    [429, '{}', 'unavailable'],
  ])('is forbidden or unavailable after the reply %i %s', async (status, body, kind) => {
    const { token } = world(() => ({ status, body }));
    await expect(token.get()).rejects.toMatchObject({ kind });
  });

  it('reports why it cannot be obtained, until it can', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const { token } = world((call) => {
      if (call === 1) throw Fault.unavailable('the token address does not answer', refused);
      return granted(call);
    });
    await expect(token.get()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(token.lastFailure).toBe('connection_refused');
    await token.get();
    expect(token.lastFailure).toBeUndefined();
  });

  it('is requested again at once if another server than its issuer answered', async () => {
    const { token } = world((call) => (call === 1 ? { status: 401, body: '<html>' } : granted(call)));
    await expect(token.get()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(token.lastFailure).toBe('unreachable');
    expect(await token.get()).toBe('t2');
  });

  it('is cached for a day at most, whatever lifetime its issuer states', async () => {
    const { token, clock } = world((call) => ({
      status: 200,
      body: JSON.stringify({ access_token: `t${call}`, expires_in: 1e12 }),
    }));
    expect(await token.get()).toBe('t1');
    clock.advance(86_400_000);
    expect(await token.get()).toBe('t2');
  });

  it('is refused until the next request, which may meet another fault', async () => {
    const { token, clock } = world((call) => {
      if (call > 1) throw Fault.unavailable('the token address does not answer');
      return { status: 401, body: '{"error":"invalid_client"}' };
    });
    await expect(token.get()).rejects.toMatchObject({ kind: 'forbidden' });
    clock.advance(31_000);
    await expect(token.get()).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('is not requested again at once after a refusal', async () => {
    const refused: FormReply = { status: 400, body: '{"error":"invalid_client"}' };
    const { token, calls, clock } = world((call) => (call === 1 ? refused : granted(call)));
    await expect(token.get()).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(token.get()).rejects.toMatchObject({ kind: 'forbidden' });
    expect(calls).toHaveLength(1);
    clock.advance(31_000);
    expect(await token.get()).toBe('t2');
  });
});
