import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TagType } from '@tidings/events';
import { defaultQuotas } from '@tidings/kernel';
import type { EmbeddedBroker } from '@tidings/streaming';
import { describeWithMongo, testBroker, TestClock } from '@tidings/testing';
import { keysFrom } from '@tidings/runtime';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { openRegistry, type RegistryService } from '../registry.ts';

const QUOTA = 40;
const account = 'default';
const { TAG_TYPE_INTEGER: type } = TagType;

const missing = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ name: `tag-${from + i}`, type }));

describeWithMongo('missing tags of bulk jobs (R-G6)', (mongo) => {
  let broker: EmbeddedBroker;
  let replicas: RegistryService[];

  const commits = (): Promise<number> =>
    mongo.db.collection('accounts.commits').countDocuments({ '_id.log': `accounts-${account}` });
  const own = async (): Promise<string[]> => {
    const { tags } = await replicas[0]!.tags.listTags({ account });
    return tags.map(({ name }) => name).filter((name) => name.startsWith('tag-'));
  };

  beforeAll(async () => {
    broker = await testBroker({ db: mongo.database('log') });
    const open = () =>
      openRegistry({
        db: mongo.db,
        clock: new TestClock(),
        log: pino({ level: 'silent' }),
        metrics: new Registry(),
        keys: keysFrom(new Uint8Array(32).fill(3)),
        broker,
        hasReplicas: true,
        quotas: { ...defaultQuotas, tags: QUOTA },
      });
    replicas = [await open(), await open()];
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.close();
    await broker?.close();
  });

  it('are added by one commit, and a repeat adds none', async () => {
    const before = await commits();
    const tags = missing(0, 10);
    expect(await replicas[0]!.tags.addMissingTags({ account, tags })).toEqual({ refused: [], reason: '' });
    expect(await commits()).toBe(before + 1);
    expect(await replicas[1]!.tags.addMissingTags({ account, tags })).toEqual({ refused: [], reason: '' });
    expect(await commits()).toBe(before + 1);
    expect(await own()).toHaveLength(10);
  });

  it('never exceed the quota when added concurrently', async () => {
    const [one, other] = replicas as [RegistryService, RegistryService];
    const calls = Array.from({ length: 8 }, (_, i) => missing(10 + 5 * i, 20 + 5 * i));
    const [replies] = await Promise.all([
      Promise.all(calls.map((tags, i) => (i % 2 ? one : other).tags.addMissingTags({ account, tags }))),
      Promise.allSettled(
        missing(100, 110).map((tag) => one.tags.addTag({ account, ...tag, applicationSpecific: true })),
      ),
    ]);
    const there = new Set(await own());
    expect(there.size).toBe(QUOTA);
    const refused = new Set(replies.flatMap((reply) => reply.refused));
    for (const { name } of calls.flat()) expect([name, refused.has(name)]).toEqual([name, !there.has(name)]);
    expect(refused.size).toBeGreaterThan(0);
    for (const { refused: each, reason } of replies) {
      expect(reason).toBe(each.length > 0 ? `Tag limit reached (${QUOTA})` : '');
    }
  });
});
