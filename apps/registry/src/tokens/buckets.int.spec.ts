import { beforeAll, expect, it } from '@jest/globals';
import { createCollections } from '@tidings/mongo';
import { describeWithMongo, TestClock } from '@tidings/testing';
import { Buckets } from './buckets.ts';
import { bucketsModel } from './storage/buckets.schema.ts';

describeWithMongo('Buckets (R-LM2)', (mongo) => {
  beforeAll(() => createCollections(mongo.db, [bucketsModel]));

  let tokens = 0;
  const token = async ({ requests, seconds }: { requests: number; seconds: number }, replicas = 1) => {
    const clocks = Array.from({ length: replicas }, () => new TestClock());
    const opened = clocks.map((clock) => new Buckets(mongo.db, clock));
    const id = `t${tokens++}`;
    const take = (requested: number, unused = 0, replica = 0) =>
      opened[replica]!.take(id, { requests, seconds }, { requested, unused });
    return { id, clocks, take };
  };

  it('grant the requests that are left, and return the time until the next one', async () => {
    const { clocks, take } = await token({ requests: 3, seconds: 60 });
    expect(await take(2)).toEqual({ granted: 2, waitMs: 0 });
    expect(await take(2)).toEqual({ granted: 1, waitMs: 20_000 });
    expect(await take(2)).toEqual({ granted: 0, waitMs: 20_000 });
    clocks[0]!.advance(19.999);
    expect(await take(1)).toEqual({ granted: 0, waitMs: 1 });
    clocks[0]!.advance(0.001);
    expect(await take(1)).toEqual({ granted: 1, waitMs: 20_000 });
    clocks[0]!.advance(3600);
    expect(await take(10)).toEqual({ granted: 3, waitMs: 20_000 });
  });

  it('take back unused requests, up to their capacity', async () => {
    const { take } = await token({ requests: 10, seconds: 10 });
    expect(await take(8)).toEqual({ granted: 8, waitMs: 0 });
    expect(await take(5, 3)).toEqual({ granted: 5, waitMs: 1000 });
    expect(await take(20, 15)).toEqual({ granted: 10, waitMs: 1000 });
  });

  it('grant the same from all replicas together as from one', async () => {
    const { take } = await token({ requests: 20, seconds: 86_400 }, 4);
    const taken = await Promise.all(Array.from({ length: 40 }, (_, i) => take(1, 0, i % 4)));
    expect(taken.filter(({ granted }) => granted === 1)).toHaveLength(20);
  });

  it('refill no faster if the clocks of replicas differ', async () => {
    const { clocks, take } = await token({ requests: 10, seconds: 10 }, 2);
    clocks[1]!.advance(5);
    expect(await take(10)).toMatchObject({ granted: 10 });
    expect(await take(10, 0, 1)).toMatchObject({ granted: 5 });
    for (let i = 0; i < 5; i++) expect(await take(10, 0, i % 2)).toMatchObject({ granted: 0 });
  });

  it('continue when a clock is set back', async () => {
    const { clocks, take } = await token({ requests: 2, seconds: 3600 });
    expect(await take(2)).toMatchObject({ granted: 2 });
    clocks[0]!.advance(-7200);
    expect(await take(1)).toEqual({ granted: 0, waitMs: 1_800_000 });
    clocks[0]!.advance(1800);
    expect(await take(1)).toMatchObject({ granted: 1 });
  });

  it('follow a changed limit', async () => {
    const buckets = new Buckets(mongo.db, new TestClock());
    await buckets.take('changed', { requests: 100, seconds: 1 }, { requested: 1, unused: 0 });
    expect(await buckets.take('changed', { requests: 2, seconds: 3600 }, { requested: 10, unused: 0 })).toEqual({
      granted: 2,
      waitMs: 1_800_000,
    });
  });

  it('are removed once they are full', async () => {
    const { id } = await token({ requests: 1, seconds: 60 }).then(async (made) => {
      await made.take(1);
      return made;
    });
    const buckets = mongo.db.collection<{ _id: string; fullAt: Date; at: number }>('buckets');
    const bucket = await buckets.findOne({ _id: id });
    expect(bucket!.fullAt.getTime() - bucket!.at).toBeGreaterThanOrEqual(60_000);
    expect(await buckets.indexes()).toContainEqual(
      expect.objectContaining({ key: { fullAt: 1 }, expireAfterSeconds: 0 }),
    );
  });
});
