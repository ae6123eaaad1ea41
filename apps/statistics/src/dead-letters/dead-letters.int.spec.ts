import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { topicNames } from '@tidings/events';
import { systemClock } from '@tidings/kernel';
import { createCollections, invalidDocuments } from '@tidings/mongo';
import type { DeadLetters } from '@tidings/rpc';
import { consume, DEAD_LETTER_TOPIC, type EmbeddedBroker, toDeadLetterRecord } from '@tidings/streaming';
import { describeWithMongo, testBroker, until } from '@tidings/testing';
import { pino } from 'pino';
import { collections } from '../collections.ts';
import { DEAD_LETTERS_GROUP, type DeadLetterService, openDeadLetters } from './dead-letters.ts';

const topic = topicNames.conversions;
const utf8 = { decode: (payload: Uint8Array) => Buffer.from(payload).toString() };
const all = { filter: undefined, redriven: false, after: '', limit: 0 };
const redriveAll = { ids: [], filter: undefined, after: '', limit: 0 };

describeWithMongo('dead letters', (mongo) => {
  let broker: EmbeddedBroker;
  let service: DeadLetterService;
  let deadLetters: DeadLetters;
  const clock = systemClock;
  const now = clock.now();
  beforeEach(async () => {
    const db = mongo.db;
    await createCollections(db, collections);
    broker = await testBroker({ db: mongo.database('log') });
    service = await openDeadLetters({ db, clock, log: pino({ level: 'silent' }), broker });
    ({ deadLetters } = service);
  });
  afterEach(async () => {
    await service.close();
    await broker.close();
    await mongo.db.dropDatabase();
    await mongo.database('log').dropDatabase();
  });

  const stored = (): Promise<void> =>
    until(async () => (await broker.lag(DEAD_LETTERS_GROUP)).every(({ committed, end }) => committed >= end));
  const letter = (offset: number, fields: object = {}) =>
    toDeadLetterRecord({
      reason: 'decode' as const,
      error: 'broken',
      group: 'g',
      topic,
      partition: 0,
      offset,
      key: 'k',
      timestamp: now + offset,
      payload: Buffer.from(`payload ${offset}`),
      ...fields,
    });

  it('are listed, inspected, and redriven to the groups that could not handle them', async () => {
    let broken = true;
    const got: string[] = [];
    const deadLettered = Promise.withResolvers<void>();
    await consume(broker, {
      group: 'g',
      topics: { [topic]: utf8 },
      async handler(records) {
        if (broken && records.some(({ value }) => value === 'b')) throw new Error('a defect');
        got.push(...records.map(({ value, headers }) => value + (headers?.['traceparent'] ?? '')));
      },
      report: ({ kind }) => void (kind === 'dead-lettered' && deadLettered.resolve()),
    });
    const headers = { traceparent: '00-4bf9-01' };
    await broker.publish(topic, [
      { key: 'k', value: Buffer.from('a') },
      { key: 'k', value: Buffer.from('b'), headers },
    ]);
    await deadLettered.promise;
    await stored();

    const [listed, ...others] = (await deadLetters.listDeadLetters(all)).deadLetters;
    expect(others).toEqual([]);
    expect(listed).toMatchObject({
      reason: 'handler',
      group: 'g',
      topic,
      key: 'k',
      payloadBytes: 1n,
      payload: Buffer.alloc(0),
    });
    expect(listed!.error).toContain('a defect');
    const { deadLetter } = await deadLetters.findDeadLetter({ id: listed!.id });
    expect(deadLetter).toMatchObject({ id: listed!.id, headers, payload: Buffer.from('b'), redrivenAt: undefined });
    expect(await invalidDocuments(mongo.db, collections)).toEqual([]);

    broken = false;
    expect(await deadLetters.redrive(redriveAll)).toEqual({ redriven: 1, stuck: [], next: '' });
    await until(() => got.length >= 2);
    expect(got).toEqual(['a', 'b00-4bf9-01']);
    expect(await deadLetters.redrive(redriveAll)).toEqual({ redriven: 0, stuck: [], next: '' });
    expect((await deadLetters.listDeadLetters(all)).deadLetters).toEqual([]);
    const { deadLetters: redriven } = await deadLetters.listDeadLetters({ ...all, redriven: true });
    expect(redriven).toMatchObject([{ id: listed!.id, redrivenAt: expect.any(Date) }]);
  });

  it('are selected by topic, group, reason and identifier, in pages, in the order of publication', async () => {
    const records = [
      letter(2),
      letter(1, { reason: 'unknown' }),
      letter(3, { group: 'h' }),
      letter(4, { topic: topicNames.outcomes }),
      // A repeat, and something that is no dead letter.
      letter(2),
      { key: 'x', value: Buffer.from('garbage') },
    ];
    await broker.publish(DEAD_LETTER_TOPIC, records);
    await stored();
    const list = async (filter: object, page: object = {}) => {
      const complete = { topic: '', group: '', reason: '', ...filter };
      return (await deadLetters.listDeadLetters({ ...all, filter: complete, ...page })).deadLetters;
    };
    const offsets = async (filter: object, page?: object) =>
      (await list(filter, page)).map(({ offset }) => Number(offset));
    expect(await offsets({})).toEqual([1, 2, 3, 4]);
    expect(await offsets({ topic })).toEqual([1, 2, 3]);
    expect(await offsets({ topic, group: 'g' })).toEqual([1, 2]);
    expect(await offsets({ reason: 'unknown' })).toEqual([1]);
    const first = await list({}, { limit: 2 });
    expect(await offsets({}, { limit: 2, after: first.at(-1)!.id })).toEqual([3, 4]);

    const next = first.at(-1)!.id;
    expect(await deadLetters.redrive({ ...redriveAll, limit: 2 })).toEqual({ redriven: 2, stuck: [], next });
    const [third, fourth] = await list({});
    expect(await deadLetters.redrive({ ...redriveAll, ids: [fourth!.id] })).toMatchObject({ redriven: 1 });
    expect(await list({})).toEqual([third]);
  });

  it('stay dead letters if only their beginning was stored, or their topic refuses them', async () => {
    const sha256 = 'ab'.repeat(32);
    await broker.publish(DEAD_LETTER_TOPIC, [
      letter(1, { cut: { payloadBytes: 9_000_000, sha256 } }),
      letter(2, { topic: 'tidings.unheard-of' }),
      letter(3),
    ]);
    await stored();
    const { redriven, stuck } = await deadLetters.redrive(redriveAll);
    expect(redriven).toBe(1);
    const listed = (await deadLetters.listDeadLetters(all)).deadLetters;
    expect(listed).toMatchObject([
      { offset: 1n, cutSha256: sha256, payloadBytes: 9_000_000n },
      { offset: 2n, cutSha256: '' },
    ]);
    expect(stuck).toEqual([
      { id: listed[0]!.id, reason: 'only its beginning was kept' },
      { id: listed[1]!.id, reason: expect.stringContaining('tidings.unheard-of') },
    ]);
  });
});
