import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiClient } from '@tidings/client';
import { channelNames, credentialFaults } from '@tidings/channels';
import { topics } from '@tidings/events';
import { openKeys, masterKeysOf, readEnv, systemDatabase } from '@tidings/runtime';
import { createTopics } from '@tidings/streaming';
import { certificateAuthority, describeWithKafka, describeWithMongo, geoipFile, selfSigned } from '@tidings/testing';
import { checkCertificates, checkGeoip } from './environment-checks.ts';
import { examine } from './examine.ts';
import type { Finding } from './finding.ts';

const DAY_MS = 86_400_000;
const key = randomBytes(32).toString('base64');
const provider = {
  credential: 'c',
  channel: 'fcm',
  applications: ['A'],
  state: 'unreachable',
  throttled_until: null,
  throttled_because: null,
  push_services: [],
};
const failed = (name: string) => ({ name, message: 'm', at: '2026-01-15T12:00:00Z' });

const failing = {
  id: 's1',
  endpoint: 'grpc://a',
  enabled: false,
  disabled_at: '2026-01-15T12:00:00Z',
  disabled_reason: 'unreachable',
};

const deferring = {
  id: 's1',
  endpoint: 'grpc://a',
  enabled: true,
  disabled_at: null,
  disabled_reason: null,
  deferred_events: 7,
  oldest_deferred_at: '2026-01-15T12:00:00Z',
  dropped_events: 2,
};

const healthy: Readonly<Record<string, unknown>> = {
  '/readyz': { status: 'ok', details: {} },
  '/livez': {},
  '/openapi.json': { servers: [{ url: 'https://push.example.com' }] },
  '/admin/v1/tokens': { tokens: [] },
  '/admin/v1/providers': { providers: [] },
  '/admin/v1/dead-letters': { dead_letters: [], next: null },
  '/admin/v1/subscriptions': { subscriptions: [] },
  '/admin/v1/deletions': { deletions: [] },
  '/admin/v1/open-access': { applications: [] },
};

async function findings(url: string, env: NodeJS.ProcessEnv = {}): Promise<Finding[]> {
  const client = new ApiClient(url, { admin: 'token' }, 1);
  try {
    return (await examine({ client, url, hasAdminToken: true, env })).flatMap((each) => [...each.findings]);
  } finally {
    client.close();
  }
}

describe('the doctor of a running system', () => {
  let server: Server;
  let url: string;
  let replies: Record<string, unknown>;
  let date: Date | undefined;
  const refused = new Map<string, number>();
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url!, 'http://host');
      response.writeHead(refused.get(pathname) ?? 200, {
        'content-type': 'application/json',
        ...(date && { date: date.toUTCString() }),
      });
      response.end(JSON.stringify(replies[pathname] ?? null));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());
  beforeEach(() => {
    replies = { ...healthy };
    date = undefined;
    refused.clear();
  });

  it('finds nothing wrong with a healthy system', async () => expect(await findings(url)).toEqual([]));

  it.each<[string, Record<string, unknown>, RegExp, RegExp]>([
    [
      'a service that does not start',
      { '/readyz': { details: { registry: { status: 'down' }, log: { status: 'up' } } } },
      /waits for registry\./,
      /log of the process/,
    ],
    [
      'that the disk of the store is nearly full, although the gateway is ready',
      { '/readyz': { details: { disk: { status: 'up', message: 'the volume of MongoDB has 5 MB free' } } } },
      /^The gateway says: the volume of MongoDB has 5 MB free\.$/,
      /Make room/,
    ],
    [
      'documents in quarantine of the process itself',
      { '/readyz': { details: { quarantine: { status: 'up', message: 'documents stand still: 2 of plans' } } } },
      /2 of plans/,
      /every minute/,
    ],
    [
      'a local PUBLIC_URL',
      { '/openapi.json': { servers: [{ url: 'http://127.0.0.1:8080' }] } },
      /no other machine reaches/,
      /PUBLIC_URL/,
    ],
    [
      'a PUBLIC_URL without TLS',
      { '/openapi.json': { servers: [{ url: 'http://push.example.com' }] } },
      /not encrypted/,
      /TLS/,
    ],
    [
      'a revoked key of a provider',
      { '/admin/v1/providers': { providers: [{ ...provider, last_error: failed('access_refused') }] } },
      /access_refused/,
      /revoked the key/,
    ],
    [
      'an expired certificate of a provider',
      { '/admin/v1/providers': { providers: [{ ...provider, last_error: failed('certificate_expired') }] } },
      /certificate_expired/,
      /Renew/,
    ],
    [
      'a provider behind a firewall',
      { '/admin/v1/providers': { providers: [{ ...provider, last_error: failed('connection_refused') }] } },
      /connection_refused/,
      /firewall/,
    ],
    [
      'dead letters',
      { '/admin/v1/dead-letters': { dead_letters: [{ group: 'statistics', topic: 'tidings.plans' }], next: null } },
      /statistics of tidings\.plans/,
      /tidings redrive/,
    ],
    [
      'a subscription that its failures have disabled',
      { '/admin/v1/subscriptions': { subscriptions: [failing, { ...failing, id: 's2', disabled_at: null }] } },
      /^The subscription s1 to grpc:\/\/a gets no events since .*: unreachable/,
      /enable it/,
    ],
    [
      'a subscription with deferred events',
      { '/admin/v1/subscriptions': { subscriptions: [deferring] } },
      /^The subscription s1 to grpc:\/\/a refuses or does not answer some events: 7 are deferred, the oldest of 2026-01-15T12:00:00Z; 2 were dropped\.$/,
      /acknowledge what it cannot use/,
    ],
    [
      'how many devices of a deleted application are left',
      {
        '/admin/v1/deletions': {
          deletions: [
            { application: 'AAAAA-BBBBB', service: 'registry', devices: 12345 },
            { application: 'AAAAA-BBBBB', service: 'scheduler', devices: null },
          ],
        },
      },
      /AAAAA-BBBBB is being removed from registry, scheduler, 12345 devices/,
      /Wait/,
    ],
  ])('finds %s', async (_, planted, text, remedy) => {
    if (JSON.stringify(planted).includes('"down"')) refused.set('/readyz', 503);
    Object.assign(replies, planted);
    expect(await findings(url)).toMatchObject([
      { text: expect.stringMatching(text), remedy: expect.stringMatching(remedy) },
    ]);
  });

  it.each(Object.entries(credentialFaults))(
    'finds %s, and names a remedy (R-P1)',
    async (name, { sentence, remedy }) => {
      replies['/admin/v1/providers'] = { providers: [{ ...provider, last_error: failed(name) }] };
      const text = `The provider of fcm of A cannot be used: ${name} (2026-01-15T12:00:00Z). ${sentence}`;
      expect(await findings(url)).toMatchObject([{ text, remedy }]);
    },
  );

  it('finds a refused administrator token', async () => {
    refused.set('/admin/v1/tokens', 401);
    expect(await findings(url)).toMatchObject([{ text: expect.stringContaining('token is refused') }]);
  });

  it('finds a clock that is ahead, or behind', async () => {
    for (const [minutes, words] of [
      [10, 'ahead of'],
      [-10, 'behind'],
    ] as const) {
      date = new Date(Date.now() + minutes * 60_000);
      expect(await findings(url)).toMatchObject([
        { text: expect.stringContaining(words), remedy: expect.stringContaining('NTP') },
      ]);
    }
  });

  it('finds that no service answers, and the cause', async () => {
    expect(await findings('http://127.0.0.1:1')).toMatchObject([
      {
        text: 'The gateway cannot be reached at http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1.',
        remedy: expect.stringContaining('TIDINGS_URL'),
      },
    ]);
  });

  it('finds that the certificate of the gateway is not trusted', async () => {
    const secure = createTlsServer(selfSigned(), (_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(secure, 'listening');
    try {
      const { port } = secure.address() as AddressInfo;
      expect(await findings(`https://127.0.0.1:${port}`)).toMatchObject([
        {
          text: expect.stringMatching(/^The gateway cannot be reached at https:.*: self-signed certificate/),
          remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
        },
      ]);
    } finally {
      secure.close();
    }
  });

  it('finds each invalid variable', async () => {
    const found = await findings(url, { PORT: 'x', TIDINGS_MASTER_KEY: 'short' });
    expect(found.map(({ text }) => text)).toEqual([
      expect.stringContaining('PORT'),
      expect.stringContaining('TIDINGS_MASTER_KEY'),
    ]);
  });

  it('finds certificates that are expired, end soon, or cannot be read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-doctor-'));
    try {
      const file = join(folder, 'cert.pem');
      await writeFile(file, certificateAuthority('Example').issue('tidings.example').cert);
      const found = (days: number) => checkCertificates({ GRPC_TLS_CERT: file }, Date.now() + days * DAY_MS);
      expect(found(0)).toMatchObject([{ severity: 'warning', text: expect.stringContaining('expires on') }]);
      expect(found(2)).toMatchObject([{ severity: 'problem', text: expect.stringContaining('expired on') }]);
      expect(found(-2)).toMatchObject([{ severity: 'problem', text: expect.stringContaining('not valid before') }]);
      expect(checkCertificates({ KAFKA_SSL_CA: join(folder, 'none') })).toMatchObject([{ severity: 'problem' }]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('finds a geo-IP database that is missing, broken or old', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-doctor-'));
    try {
      const [file, broken] = [join(folder, 'city.mmdb'), join(folder, 'broken.mmdb')];
      await writeFile(file, geoipFile([{ network: '198.51.100.0/24', country: 'AT' }]));
      await writeFile(broken, 'half a file');
      const found = (path: string, days = 0) =>
        checkGeoip(readEnv({ GEOIP_DATABASE: path }), Date.now() + days * DAY_MS);
      expect(await found(file, 45)).toEqual([]);
      expect(await found(file, 46)).toMatchObject([
        { severity: 'warning', text: expect.stringContaining('46 days ago') },
      ]);
      for (const path of [broken, join(folder, 'none.mmdb')]) {
        expect(await found(path)).toMatchObject([{ severity: 'problem', text: expect.stringContaining(path) }]);
      }
      const texts = (await findings(url, { GEOIP_DATABASE: broken })).map(({ text }) => text);
      expect(texts).toEqual([expect.stringContaining('not a geo-IP database')]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  describeWithMongo('the doctor with the environment of MongoDB', (mongo) => {
    const env = (masterKey: string) => ({
      MONGO_URL: mongo.url.replace(/\/(\?|$)/, `/${mongo.prefix}$1`),
      TIDINGS_MASTER_KEY: masterKey,
    });

    it('finds a master key that is not that of the data', async () => {
      const system = systemDatabase(mongo.client, mongo.prefix);
      expect(await findings(url, env(key))).toEqual([]);
      await openKeys(system, masterKeysOf(Buffer.from(key, 'base64'), undefined));
      expect(await findings(url, env(key))).toEqual([]);
      expect(await findings(url, env(randomBytes(32).toString('base64')))).toMatchObject([
        {
          text: expect.stringContaining('was written with the master key'),
          remedy: expect.stringContaining('key that the data was written with'),
        },
      ]);
    });

    it('finds documents in quarantine, of every service', async () => {
      const document = { _id: { collection: 'devices', id: 'a' } };
      await mongo.database('registry').collection<typeof document>('devices.quarantine').insertOne(document);
      await mongo.database('scheduler').createCollection('messages.quarantine');
      expect(await findings(url, env(key))).toMatchObject([
        {
          text: `Documents stand still: 1 in ${mongo.prefix}_registry.devices.quarantine.`,
          remedy: expect.stringContaining('every minute'),
        },
      ]);
    });

    it('finds that MongoDB does not answer', async () => {
      const found = await findings(url, { MONGO_URL: 'mongodb://127.0.0.1:1/?replicaSet=rs', TIDINGS_MASTER_KEY: key });
      expect(found).toMatchObject([
        { text: expect.stringContaining('MONGO_URL'), remedy: expect.stringContaining('replica set') },
      ]);
    });
  });

  describeWithKafka('the doctor with the environment of Kafka', (kafka) => {
    const env = () => ({
      KAFKA_BROKERS: kafka.brokers,
      KAFKA_NAMESPACE: kafka.namespace,
      KAFKA_REPLICATION_FACTOR: '1',
    });
    const create = (layout: ReturnType<typeof topics>) =>
      createTopics({
        brokers: kafka.brokers,
        namespace: kafka.namespace,
        clientId: 'spec',
        warn: () => undefined,
        topics: layout,
        replicationFactor: 1,
      });

    it('finds missing topics, and topics with other settings', async () => {
      const all = topics(channelNames());
      const [first, ...others] = all;
      await create(others);
      expect(await findings(url, env())).toMatchObject([
        { text: `Kafka lacks the topics ${first!.name}.`, remedy: expect.stringContaining('topics.js') },
      ]);
      await create([{ ...first!, retentionMs: first!.retentionMs - 8 }]);
      expect(await findings(url, env())).toMatchObject([{ text: expect.stringContaining(`should: ${first!.name}`) }]);
      await create(all);
      expect(await findings(url, env())).toEqual([]);
    });

    it('finds topics with another number of copies', async () => {
      await create(topics(channelNames()));
      expect(await findings(url, { ...env(), KAFKA_REPLICATION_FACTOR: '3' })).toMatchObject([
        {
          severity: 'warning',
          text: expect.stringContaining('another number of copies than 3'),
          remedy: expect.stringContaining('KAFKA_REPLICATION_FACTOR'),
        },
      ]);
    });
  });
});
