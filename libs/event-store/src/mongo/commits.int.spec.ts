import { expect, it } from '@jest/globals';
import { describeWithMongo } from '@tidings/testing';
import { MongoCommits } from './commits.ts';

const LOG = 'large-1';
const MEGABYTE = 1 << 20;

describeWithMongo('stored commits', (mongo) => {
  it('are read up to a number of bytes, and from there on', async () => {
    const commits = new MongoCommits(mongo.db, 'large');
    // The server answers with 16 MiB at most: these take several answers.
    const positions = Array.from({ length: 12 }, (_, i) => i + 1);
    for (const position of positions) {
      const uid = `${position}`;
      const stored = { log: LOG, position, uid, at: new Date(0), events: [Buffer.alloc(2 * MEGABYTE)] };
      expect(await commits.insert([stored])).toEqual([{ kind: 'held', uid }]);
    }
    const positionsAfter = async (position: number, limit: number, maxBytes?: number): Promise<number[]> =>
      (await commits.after(LOG, position, limit, maxBytes)).map((stored) => stored.position);

    const first = await positionsAfter(0, 100, 4 * MEGABYTE);
    expect(first.length).toBeGreaterThanOrEqual(2);
    expect(first.length).toBeLessThan(12);
    expect([...first, ...(await positionsAfter(first.length, 100))]).toEqual(positions);
    expect(await positionsAfter(0, 100)).toEqual(positions);
    expect(await positionsAfter(3, 2, 100 * MEGABYTE)).toEqual([4, 5]);
    expect(await positionsAfter(12, 100, MEGABYTE)).toEqual([]);
  });
});
