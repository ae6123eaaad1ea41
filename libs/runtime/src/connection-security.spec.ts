import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificateAuthority } from '@tidings/testing';
import { readEnv } from './configuration.ts';
import { readServiceEnv } from './service-configuration.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'tidings-secrets-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function file(text: string): string {
  const path = join(folder, `file-${++files}`);
  writeFileSync(path, text);
  return path;
}

const linesOf = (read: () => unknown): string[] => {
  try {
    read();
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};

const authority = certificateAuthority('deployment');
const { cert, key } = authority.issue('registry');
const { ca } = authority;

describe('secrets in files', () => {
  it('replace their variables, without white space around them', () => {
    const masterKey = Buffer.alloc(32, 7);
    const env = {
      TIDINGS_MASTER_KEY_FILE: file(`${masterKey.toString('base64')}\n`),
      TIDINGS_ADMIN_TOKEN_FILE: file('token-of-the-administrator\n'),
      MONGO_URL_FILE: file('mongodb://user:secret@a:1/?replicaSet=rs'),
    };
    expect(readEnv(env)).toMatchObject({
      masterKey,
      adminToken: 'token-of-the-administrator',
      mongoUrl: 'mongodb://user:secret@a:1/?replicaSet=rs',
    });
    const required = ['TIDINGS_MASTER_KEY', 'MONGO_URL'] as const;
    expect(readServiceEnv({ required, peers: [] }, env)).toMatchObject({ masterKey });
  });

  it('are refused if the file cannot be read or is empty, or the variable is set, too', () => {
    const [gone, empty] = [join(folder, 'gone'), file(' \n')];
    const env = {
      TIDINGS_MASTER_KEY_FILE: gone,
      TIDINGS_ADMIN_TOKEN_FILE: empty,
      MONGO_URL_FILE: file('mongodb://a:1'),
      MONGO_URL: 'mongodb://b:1',
    };
    const lines = [
      `TIDINGS_MASTER_KEY_FILE: cannot be read: ${gone}`,
      `TIDINGS_ADMIN_TOKEN_FILE: is empty: ${empty}`,
      'MONGO_URL_FILE: must not be set beside MONGO_URL',
    ];
    expect(linesOf(() => readEnv(env))).toEqual(lines);
    expect(linesOf(() => readServiceEnv({ required: ['TIDINGS_MASTER_KEY'], peers: [] }, env))).toEqual(lines);
  });
});

describe('the administrator token', () => {
  it('has at least 24 characters', () => {
    expect(readEnv({ TIDINGS_ADMIN_TOKEN: 'x'.repeat(24) }).adminToken).toHaveLength(24);
    expect(linesOf(() => readEnv({ TIDINGS_ADMIN_TOKEN: 'x'.repeat(23) }))).toEqual([
      'TIDINGS_ADMIN_TOKEN: must have at least 24 characters, printable ASCII without spaces: openssl rand -hex 24',
    ]);
  });
});

describe('TLS between services', () => {
  it('is read from PEM files, or from PEM texts', () => {
    const env = { GRPC_TLS_CERT: file(cert), GRPC_TLS_KEY_FILE: file(key), GRPC_TLS_CA: ca };
    expect(readEnv(env).grpcTls).toEqual({ cert, key: key.trim(), ca: ca.trim() });
    expect(readEnv({}).grpcTls).toBeUndefined();
  });

  it('is refused if a part is missing or invalid, without repeating keys', () => {
    expect(linesOf(() => readEnv({ GRPC_TLS_CERT: file(cert), GRPC_TLS_CA: file(ca) }))).toEqual([
      'GRPC_TLS_KEY: is required with GRPC_TLS_CERT',
    ]);
    expect(linesOf(() => readEnv({ GRPC_TLS_CERT: file(key), GRPC_TLS_KEY: cert, GRPC_TLS_CA: '/nowhere' }))).toEqual([
      'GRPC_TLS_CERT: must be a file that can be read, with a certificate in PEM',
      'GRPC_TLS_KEY: must be a file that can be read, with a private key without a password in PEM',
      'GRPC_TLS_CA: must be a file that can be read, with a certificate in PEM',
    ]);
  });
});

describe('TLS and SASL to Kafka', () => {
  const sasl = { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' };

  it.each([
    ['nothing', {}, {}],
    ['TLS with the CAs of the system', { KAFKA_SSL: 'true' }, { tls: {} }],
    ['TLS with a CA', { KAFKA_SSL_CA: ca }, { tls: { ca: ca.trim() } }],
    [
      'mutual TLS',
      { KAFKA_SSL: '1', KAFKA_SSL_CERT: cert, KAFKA_SSL_KEY: key },
      { tls: { cert: cert.trim(), key: key.trim() } },
    ],
    ['a user', sasl, { sasl: { mechanism: 'SCRAM-SHA-512', username: 'u', password: 'p' } }],
    ['no TLS', { KAFKA_SSL: 'false' }, {}],
  ])('are read: %s', (_, env, security) => {
    expect(readEnv(env).kafkaSecurity).toEqual(security);
  });

  it('accepts the password and the key from files', () => {
    const { KAFKA_SASL_PASSWORD: _, ...rest } = sasl;
    const files = { KAFKA_SASL_PASSWORD_FILE: file('from-a-file\n'), KAFKA_SSL_KEY_FILE: file(key) };
    const { kafkaSecurity } = readEnv({ ...rest, KAFKA_SSL_CERT: file(cert), ...files });
    expect(kafkaSecurity).toMatchObject({ sasl: { password: 'from-a-file' }, tls: { cert, key: key.trim() } });
  });

  it.each([
    [{ KAFKA_SSL: 'yes' }, 'KAFKA_SSL: must be true or false'],
    [{ KAFKA_SSL: 'false', KAFKA_SSL_CA: ca }, 'KAFKA_SSL: must not be false beside KAFKA_SSL_CA'],
    [{ KAFKA_SSL_CERT: cert }, 'KAFKA_SSL_KEY: is required with KAFKA_SSL_CERT'],
    [{ ...sasl, KAFKA_SASL_USERNAME: '' }, 'KAFKA_SASL_USERNAME: is required with KAFKA_SASL_MECHANISM'],
    [
      { ...sasl, KAFKA_SASL_MECHANISM: 'GSSAPI' },
      'KAFKA_SASL_MECHANISM: must be one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512',
    ],
  ])('are refused by a line that names the variable: %#', (env, line) => {
    expect(linesOf(() => readEnv(env))).toEqual([line]);
  });
});
