import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import fc from 'fast-check';
import { nestLogger, openLog } from './logs.ts';
import { isSecretName, redactText } from './redaction.ts';

const { privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const canary = 'canary0Qx7LmZ4Tk2Vb9';

function logged(write: (log: ReturnType<typeof openLog>) => void): string {
  const lines: string[] = [];
  write(openLog('trace', { write: (line) => void lines.push(line) }));
  return lines.join('');
}

describe('the log', () => {
  it('writes one JSON object a line', () => {
    const text = logged((log) => log.child({ service: 'registry' }).info({ devices: 3, at: new Date(0) }, 'planned'));
    expect(text.endsWith('\n')).toBe(true);
    expect(JSON.parse(text)).toMatchObject({
      level: 'info',
      service: 'registry',
      devices: 3,
      at: '1970-01-01T00:00:00.000Z',
      msg: 'planned',
    });
  });

  it('writes an error with its causes and internal text, once', () => {
    const text = logged((log) => {
      const fault = new Fault('bug', 'Internal error', { internal: 'the reason', cause: new Error('the cause') });
      log.error({ err: fault }, 'failed');
    });
    expect(JSON.parse(text)).toMatchObject({
      msg: 'failed',
      err: { type: 'Fault', kind: 'bug', internal: 'the reason', cause: { type: 'Error', message: 'the cause' } },
    });
    expect((JSON.parse(text) as { err: { stack: string } }).err.stack).toContain('logs.spec');
  });

  it.each([
    ['auth'],
    ['Authorization'],
    ['push_token'],
    ['pushToken'],
    ['access_token'],
    ['adminToken'],
    ['ios_key_password'],
    ['ios_key_file'],
    ['private_key'],
    ['client_secret'],
    ['chrome_vapid_private_key'],
    ['android_fcm_service_account'],
    ['masterKey'],
    ['credentials'],
    ['sealed'],
  ])('redacts the field %s at any depth', (name) => {
    for (const fields of [{ [name]: canary }, { request: [{ a: { [name]: { deeper: canary } } }] }]) {
      expect(logged((log) => log.info(fields, 'x'))).not.toContain(canary);
      expect(logged((log) => log.child(fields).info('x'))).not.toContain(canary);
      expect(logged((log) => log.info({ err: Object.assign(new Error('x'), fields) }))).not.toContain(canary);
    }
  });

  it('keeps names and numbers of secrets', () => {
    for (const name of ['tokenId', 'credential_version', 'keyId', 'tokens', 'monkey', 'author']) {
      expect(isSecretName(name)).toBe(false);
    }
  });

  it.each([
    ['a header', `Authorization: Token ${canary}`, canary],
    ['a bearer token', `request failed with Bearer ${canary}`, canary],
    ['a body', `{"request":{"auth":"${canary}","application":"A"}}`, canary],
    ['a form', `grant_type=x&client_secret=${canary}&scope=y`, canary],
    ['an address', `connect mongodb://user:${canary}@host/db failed`, canary],
    ['a key', `cannot read ${privateKey}`, privateKey.split('\n')[1]!],
    ['a web token', 'got eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJYIn0.c2lnbmF0dXJl back', 'eyJpc3MiOiJYIn0'],
  ])('redacts %s inside a text', (_what, text, secret) => {
    const lines = [
      logged((log) => log.info(text)),
      logged((log) => log.info({ detail: text })),
      logged((log) => log.info({ detail: JSON.stringify({ text }) })),
      logged((log) => log.error({ err: new Error(text, { cause: new Error(text) }) })),
      logged((log) => void nestLogger(log).error(new Error(text), 'Context')),
    ];
    for (const line of lines) {
      expect(line).not.toContain(secret);
      expect(JSON.parse(line) as unknown).toBeDefined();
    }
  });

  it('leaves the report of a failed start to the caller that catches it', () => {
    const levelOf = (source: string) =>
      (JSON.parse(logged((log) => void nestLogger(log).error(new Error('x'), source))) as { level: string }).level;
    const levels = ['ExceptionHandler', '_ExceptionHandler', 'RpcServer'].map(levelOf);
    expect(levels).toEqual(['debug', 'debug', 'error']);
  });

  it('stays JSON after any redaction', () => {
    const texts = fc.array(
      fc.oneof(fc.string(), fc.constantFrom('token=', 'auth":"', 'Bearer ', '://', '@', 'secret: ', canary, '\\', '"')),
    );
    fc.assert(
      fc.property(texts, (parts) => {
        const line = logged((log) => log.info({ detail: parts.join('') }, parts.join('')));
        expect(() => JSON.parse(line) as unknown).not.toThrow();
      }),
    );
  });

  it('takes linear time', () => {
    for (const part of [
      'a:',
      'auth',
      'token\\\\',
      '-----BEGIN',
      'token=',
      'eyJ',
      '-----BEGIN PRIVATE KEY-----',
      'a://',
      'bearer ',
      'a.b',
    ]) {
      // Superlinear time takes hours: the test's time-out ends it.
      expect(redactText(part.repeat(1_000_000 / part.length))).not.toBe('');
    }
  });

  it('accepts messages of Nest', () => {
    const text = logged((log) => void nestLogger(log).log('started', 'NestApplication'));
    expect(JSON.parse(text)).toMatchObject({
      level: 'debug',
      context: 'nest',
      source: 'NestApplication',
      msg: 'started',
    });
  });
});
