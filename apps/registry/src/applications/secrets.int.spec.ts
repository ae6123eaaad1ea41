import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { api } from '@tidings/contract';
import type { ConfigurePlatformRequest } from '@tidings/rpc';
import type { EmbeddedBroker } from '@tidings/streaming';
import { describeWithMongo, testBroker, TestClock } from '@tidings/testing';
import { keysFrom } from '@tidings/runtime';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { openRegistry, type RegistryService } from '../registry.ts';

describeWithMongo('credentials of every platform', (mongo) => {
  const lines: string[] = [];
  const metrics = new Registry();
  const canaries = new Map<string, string>();
  let broker: EmbeddedBroker;
  let registry: RegistryService;
  let application: string;

  beforeAll(async () => {
    broker = await testBroker({ db: mongo.database('log') });
    registry = await openRegistry({
      db: mongo.db,
      clock: new TestClock(),
      metrics,
      keys: keysFrom(randomBytes(32)),
      broker,
      log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    });
    const request = { account: 'default', title: 'App', icon: Buffer.alloc(0), sdkIos: '', sdkAndroid: '' };
    ({ application } = await registry.applications.createApplication({
      ...request,
      authorizeAllTokens: false,
      tokenId: '',
    }));
  });
  afterAll(async () => {
    await registry.close();
    await broker.close();
  });

  const planted = (example: (typeof api.configureApplication.examples)[number]): ConfigurePlatformRequest => {
    const { secrets, ...parsed } = api.configureApplication.parse(example.request);
    const settings = { ...parsed.settings };
    for (const name of secrets) {
      const canary = `c4n4ry${randomBytes(12).toString('hex')}`;
      canaries.set(name, canary);
      settings[name] = canary;
    }
    return { ...parsed, account: 'default', application, settings, secretSettings: [...secrets] };
  };

  const formsOf = (canary: string): readonly Buffer[] =>
    [canary, Buffer.from(canary).toString('base64').slice(0, -4), Buffer.from(canary).toString('hex')].map((form) =>
      Buffer.from(form),
    );

  const expectNone = (where: string, bytes: Buffer): void => {
    for (const [name, canary] of canaries) {
      expect([where, name, formsOf(canary).some((form) => bytes.includes(form))]).toEqual([where, name, false]);
    }
  };

  it('are in no document, record, log line, metric or reply', async () => {
    const replies: unknown[] = [];
    for (const example of api.configureApplication.examples) {
      replies.push(await registry.platforms.configurePlatform(planted(example)));
    }
    expect(canaries.size).toBeGreaterThan(18);
    replies.push(await registry.applications.describeApplication({ application }));
    replies.push(await registry.applications.findApplication({ application }));
    while ((await registry.operations.settled({})).open.length > 0) await new Promise((next) => setTimeout(next, 10));

    let documents = 0;
    for (const db of [mongo.db, mongo.database('log')]) {
      for (const collection of await db.collections()) {
        for await (const raw of collection.find({}, { raw: true })) {
          documents++;
          expectNone(collection.collectionName, Buffer.from(raw as unknown as Uint8Array));
        }
      }
    }
    expect(documents).toBeGreaterThan(10);
    expectNone('the log', Buffer.from(lines.join('')));
    expectNone('metrics', Buffer.from(await metrics.metrics()));
    expectNone(
      'replies',
      Buffer.from(JSON.stringify(replies, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))),
    );
  });

  it('can be opened by the dispatcher, each only for its own field', async () => {
    const platforms = api.configureApplication.examples.map(({ request }) => Number(request['device_type']));
    for (const platform of platforms) {
      const credential = await registry.platforms.getCredential({ application, platform });
      // A platform may have several examples.
      expect(credential.version).toBe(platforms.filter((each) => each === platform).length);
      for (const name of Object.keys(credential.sealed)) expect(canaries.has(name)).toBe(true);
      for (const value of Object.values(credential.settings)) expect(value).not.toMatch(/c4n4ry/);
    }
  });
});
