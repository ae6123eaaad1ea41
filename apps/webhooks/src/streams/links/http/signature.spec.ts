import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { signatureHeaders } from './signature.ts';

/** The reference implementation for receivers. */
const { Webhook } = createRequire(import.meta.url)('standardwebhooks') as {
  Webhook: new (secret: string) => { verify(body: string, headers: object): unknown };
};

const now = (): number => Math.floor(Date.now() / 1000);
const verify = (key: Buffer, body: string, headers: object): unknown =>
  new Webhook(`whsec_${key.toString('base64')}`).verify(body, { ...headers });

describe('the signature of a post', () => {
  const [newest, earlier, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const body = '[{"uuid":"u1","payload":"ü\u2028"},{"uuid":"u2"}]';
  const uuids = ['u1', 'u2'];

  it('is valid for every key, and for no other key, body, id or time', () => {
    const headers = signatureHeaders([newest, earlier], { uuids, at: now(), body });
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
    for (const key of [newest, earlier]) expect(verify(key, body, headers)).toEqual(JSON.parse(body));
    const forged: (readonly [Buffer, string, object])[] = [
      [other, body, headers],
      [newest, body.replace('u2', 'u3'), headers],
      [newest, body, { ...headers, 'webhook-id': 'msg_other' }],
      [newest, body, { ...headers, 'webhook-timestamp': String(now() + 1) }],
    ];
    for (const [key, text, given] of forged) expect(() => verify(key, text, given)).toThrow('No matching signature');
    expect(() => verify(newest, body, signatureHeaders([newest], { uuids, at: now() - 600, body }))).toThrow('too old');
  });

  it('covers the id of the batch, whenever it is posted', () => {
    const idOf = (ids: readonly string[], at: number): string =>
      signatureHeaders([newest], { uuids: ids, at, body })['webhook-id'];
    expect(idOf(uuids, 1)).toBe(idOf(uuids, 2));
    expect(idOf(uuids, 1)).toMatch(/^msg_[\w-]{24}$/);
    expect(new Set([uuids, ['u2', 'u1'], ['u1'], ['u1', 'u2', 'u3']].map((ids) => idOf(ids, 1))).size).toBe(4);
  });
});
