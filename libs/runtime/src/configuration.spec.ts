import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { domainToASCII } from 'node:url';
import { defaultQuotas } from '@tidings/kernel';
import { publicUrlOf, readEnv } from './configuration.ts';

const linesOf = (env: NodeJS.ProcessEnv): string[] => {
  try {
    readEnv(env);
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
};

describe('readEnv', () => {
  it('requires nothing', () => {
    const configuration = readEnv({});
    expect(configuration).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      kafkaBrokers: [],
      allowPrivate: [],
      trustedProxies: [],
      geoipDatabase: undefined,
      testClock: undefined,
      logLevel: 'info',
    });
    expect(isAbsolute(configuration.dataFolder)).toBe(true);
    expect(publicUrlOf(configuration)).toBe('http://127.0.0.1:8080');
  });

  it('reads every name', () => {
    const key = Buffer.alloc(32, 7);
    const configuration = readEnv({
      HOST: '::1',
      PORT: '0',
      PUBLIC_URL: 'https://push.example/',
      MONGO_URL: 'mongodb://a:1,b:2/?replicaSet=rs',
      KAFKA_BROKERS: 'a:9092, b:9092',
      TIDINGS_MASTER_KEY: key.toString('base64'),
      APNS_URL: 'http://127.0.0.1:9000',
      TIDINGS_ALLOW_PRIVATE: '127.0.0.0/8,fd00::/8',
      TRUSTED_PROXIES: '10.0.0.0/8',
      GEOIP_DATABASE: '/data/city.mmdb',
      TIDINGS_TEST_CLOCK: '1',
    });
    expect(configuration).toMatchObject({
      port: 0,
      kafkaBrokers: ['a:9092', 'b:9092'],
      masterKey: key,
      providers: { apns: 'http://127.0.0.1:9000', fcm: undefined },
      allowPrivate: ['127.0.0.0/8', 'fd00::/8'],
      trustedProxies: ['10.0.0.0/8'],
      geoipDatabase: '/data/city.mmdb',
      testClock: { aheadMs: 0 },
    });
    expect(publicUrlOf(configuration)).toBe('https://push.example');
    expect(publicUrlOf({ host: '::1', port: 1 })).toBe('http://[::1]:1');
  });

  it('reads the SMSC of the deployment with account and sender (R-A6)', () => {
    const address = 'smpp://system%20id:p%40ss@[::1]:2775?sender=Shop';
    expect(readEnv({ SMPP_URL: address }).providers).toMatchObject({ smpp: address });
    const form = 'SMPP_URL: must be smpp://system_id:password@host:port?sender=NAME';
    for (const SMPP_URL of [
      'smpp://host?sender=Shop',
      'smpp://id:word@host?sender=',
      'smpp://id:%zz@host?sender=Shop',
      'smpp://%c3:%a9@host?sender=Shop',
    ])
      expect(linesOf({ SMPP_URL })).toEqual([form]);
    expect(linesOf({ SMPP_URL: 'http://id@host?sender=Shop' })).toEqual([
      'SMPP_URL: must be an address that begins with smpp://',
    ]);
  });

  it('records traces if there is an exporter, unless that is disabled', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318';
    const byRatio = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' };
    expect(readEnv(byRatio).tracing).toBeUndefined();
    expect(readEnv({ OTEL_EXPORTER_OTLP_ENDPOINT }).tracing).toEqual({ sampler: 'parentbased_always_on', ratio: 1 });
    expect(readEnv({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces', ...byRatio }).tracing).toEqual({
      sampler: 'traceidratio',
      ratio: 0.25,
    });
    expect(readEnv({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' }).tracing).toBeUndefined();
  });

  it('accepts a previous master key beside the current one, from a file too, and none that is the same', () => {
    const [current, previous] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const TIDINGS_MASTER_KEY = current.toString('base64');
    const keys = { masterKey: current, previousMasterKey: previous };
    const folder = mkdtempSync(join(tmpdir(), 'tidings-keys-'));
    try {
      const file = join(folder, 'previous');
      writeFileSync(file, `${previous.toString('base64')}\n`);
      expect(readEnv({ TIDINGS_MASTER_KEY, TIDINGS_MASTER_KEY_PREVIOUS_FILE: file })).toMatchObject(keys);
    } finally {
      rmSync(folder, { recursive: true });
    }
    const given = (TIDINGS_MASTER_KEY_PREVIOUS: string) => readEnv({ TIDINGS_MASTER_KEY, TIDINGS_MASTER_KEY_PREVIOUS });
    expect(given(previous.toString('base64'))).toMatchObject(keys);
    expect(given('').previousMasterKey).toBeUndefined();
    expect(() => given('short')).toThrow('TIDINGS_MASTER_KEY_PREVIOUS: must be 32 bytes in base64');
    expect(() => given(TIDINGS_MASTER_KEY)).toThrow(
      'TIDINGS_MASTER_KEY_PREVIOUS: must be another key than TIDINGS_MASTER_KEY',
    );
  });

  it('reads the disposable domains from the list of the package, or from a file (R-E4)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-domains-'));
    const domainsIn = (text: string): ReadonlySet<string> => {
      const file = join(folder, 'domains.txt');
      writeFileSync(file, text);
      return readEnv({ TIDINGS_DISPOSABLE_DOMAINS: file }).disposableDomains;
    };
    try {
      const disposable = ['mailinator.com', 'guerrillamail.com', '10minutemail.com', 'yopmail.com', 'trashmail.com'];
      const listed = readEnv({}).disposableDomains;
      expect([...listed]).toEqual(expect.arrayContaining(disposable));
      expect(listed.size).toBeGreaterThan(5_000);
      for (const used of ['gmail.com', 'outlook.com', 'icloud.com', 'proton.me', 'com'])
        expect(listed.has(used)).toBe(false);
      expect([...listed].filter((domain) => domain !== domainToASCII(domain))).toEqual([]);
      const own = domainsIn('# Ours\r\nThrow-Away.example # as seen\n\n  bücher.example');
      expect([...own]).toEqual(['throw-away.example', 'xn--bcher-kva.example']);
      expect(domainsIn('')).toEqual(new Set());
      expect(() => domainsIn('a.example\na@b.example\ncom')).toThrow(/line 2 is no domain.*\n.*line 3 is no domain/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reads each quota (R-LM7)', () => {
    expect(readEnv({}).quotas).toEqual(defaultQuotas);
    expect(readEnv({ TIDINGS_QUOTAS: 'test_devices=7, tags = 0' }).quotas).toEqual({
      ...defaultQuotas,
      testDevices: 7,
      tags: 0,
    });
    const text = `must be name=number,… with each of applications, tags, presets, filters, geozones, test_devices once, 0 to 1000000`;
    for (const wrong of ['tags', 'tags=-1', 'tags=1000001', 'tags=1,tags=2', 'constructor=1', 'Tags=1', 'tags=1;']) {
      expect(linesOf({ TIDINGS_QUOTAS: wrong })).toEqual([`TIDINGS_QUOTAS: ${text}`]);
    }
  });

  it('reads a domain for bounce reports, which a port for incoming mail requires', () => {
    expect(readEnv({ MAIL_BOUNCE_DOMAIN: 'Bounces.Bücher.example', SMTP_LISTEN_PORT: '25' })).toMatchObject({
      mailBounceDomain: 'bounces.xn--bcher-kva.example',
      smtpListenPort: 25,
    });
    expect(linesOf({ SMTP_LISTEN_PORT: '25' })).toEqual(['MAIL_BOUNCE_DOMAIN: is required with SMTP_LISTEN_PORT']);
  });

  it('treats an empty variable as unset', () => {
    expect(readEnv({ PORT: '', KAFKA_BROKERS: ' ', APNS_URL: '' })).toMatchObject({ port: 8080, kafkaBrokers: [] });
  });

  it('refuses wrong values with one line each, without repeating them', () => {
    const wrong = {
      PORT: '80800',
      HEALTH_PORT: 'x',
      MONGO_URL: 'http://secret@nowhere',
      KAFKA_BROKERS: 'broker',
      KAFKA_NAMESPACE: 'a/b',
      KAFKA_REPLICATION_FACTOR: '0',
      TIDINGS_MASTER_KEY: Buffer.from('secret').toString('base64'),
      TIDINGS_ADMIN_TOKEN: 'a secret',
      FCM_URL: 'fcm',
      WEB_PUSH_SUBJECT: 'ops',
      MAIL_BOUNCE_DOMAIN: 'localhost',
      SMTP_LISTEN_PORT: '99999',
      TIDINGS_HTTP2: 'http2',
      TIDINGS_EXTRA_CA: '/nowhere.pem',
      TIDINGS_ALLOW_PRIVATE: '10.0.0.0/33',
      TIDINGS_DISPOSABLE_DOMAINS: '/nowhere.txt',
      TIDINGS_QUOTAS: 'presets=many',
      TIDINGS_TEST_CLOCK: 'yes',
      LOG_LEVEL: 'loud',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'some',
      OTEL_TRACES_SAMPLER_ARG: '1.5',
    };
    const lines = linesOf(wrong);
    expect(lines.map((line) => line.split(':')[0]!).sort()).toEqual(Object.keys(wrong).sort());
    expect(lines).toContain('PORT: must be a port from 0 to 65535');
    expect(lines).toContain('FCM_URL: must be an address that begins with https:// or http://');
    expect(lines.join()).not.toContain('secret');
  });
});
