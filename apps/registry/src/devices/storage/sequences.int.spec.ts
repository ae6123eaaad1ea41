import { afterEach, expect, it, jest } from '@jest/globals';
import { describeWithMongo } from '@tidings/testing';
import { openSequences, type Sequence, SEQUENCES } from './sequences.ts';

describeWithMongo('device numbers', (mongo) => {
  afterEach(() => void jest.restoreAllMocks());

  it('are integers after blocks of an odd size, at any demand', async () => {
    const sequences = openSequences(mongo.db);
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const taken = await sequences.take('odd', 35);
    for (let i = 0; i < 60; i++) {
      // Every block is used up late, so the next one is smaller.
      now += 5_000;
      taken.push(...(await sequences.take('odd', 1)));
    }
    expect(taken.filter((n) => !Number.isInteger(n))).toEqual([]);
    expect(new Set(taken).size).toBe(95);
  });

  it('are integers after a stored fraction', async () => {
    const stored = mongo.db.collection<Sequence>(SEQUENCES);
    await stored.insertOne({ _id: 'half', next: 17.5 });
    const taken = [
      ...(await openSequences(mongo.db).take('half', 16)),
      ...(await openSequences(mongo.db).take('half', 2)),
    ];
    expect(taken).toEqual([...Array.from({ length: 16 }, (_, i) => 18 + i), 34, 35]);
  });
});
