import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseOf, databasePrefixOf } from '@tidings/mongo';
import { retryUntilAnswered, type Parameters, platform, type StoredWorld } from '@tidings/testing';
import { MongoClient } from 'mongodb';

let world: StoredWorld;
let mongo: MongoClient;
let busy: string;
let other: string;

interface StoredJob {
  readonly status: string;
  readonly acceptedAt: Date;
  readonly finishedAt: Date;
}

beforeAll(async () => {
  world = await platform();
  const address = new URL(world.mongoUrl);
  address.pathname = '/';
  mongo = await MongoClient.connect(address.href);
  busy = await world.application({ title: 'Busy', ios: false, android: false });
  other = await world.application({ title: 'Other', ios: false, android: false });
  for (const application of [busy, other]) {
    await world.call('registerDevice', { application, hwid: 'phone', device_type: 3 });
  }
});
afterAll(async () => {
  await mongo?.close();
  await world?.stop();
});

async function jobsOf(ids: readonly string[]): Promise<(StoredJob | undefined)[]> {
  const database = databaseOf(mongo, 'audience-jobs', databasePrefixOf(world.mongoUrl));
  const jobs = database.collection<{ _id: string } & StoredJob>('jobs');
  const found = new Map((await jobs.find({ _id: { $in: [...ids] } }).toArray()).map((job) => [job._id, job]));
  return ids.map((id) => found.get(id));
}
const exportOf = async (application: string): Promise<string> =>
  (await world.call('exportSegment', { filterExpression: `A("${application}")`, exportData: ['hwids'] })).task_id;
const setTags = (application: string, devices: readonly Parameters[]) =>
  world.client.reply('bulkSetTags', { application, devices });

describe('a queue of an application', () => {
  it('does not delay the export of another one', async () => {
    // A busy machine does not answer all in time; jobs accepted twice only lengthen the queue.
    const ids = await Promise.all(Array.from({ length: 60 }, () => retryUntilAnswered(() => exportOf(busy))));
    const id = await exportOf(other);
    await world.settle(60_000);
    const [theirs, ...queue] = await jobsOf([id, ...ids]);
    const waited = queue.filter((job) => job!.finishedAt > theirs!.acceptedAt);
    // Otherwise no queue has formed.
    expect(waited.length).toBeGreaterThan(10);
    const went = waited.filter((job) => job!.finishedAt < theirs!.finishedAt);
    expect(went.length).toBeLessThanOrEqual(waited.length / 2);
  });

  it('accepts a limited number of jobs, refuses others clearly, and completes the accepted ones', async () => {
    const devices = Array.from({ length: 8_000 }, (_, i) => ({ hwid: `unknown-${i}`, tags: {} }));
    const replies = [await setTags(busy, devices)];
    // Submitted faster than they run, one after the other.
    while (replies.every(({ status }) => status === 200) && replies.length < 2_000) {
      const small = Array.from({ length: 30 }, () => setTags(busy, [{ hwid: 'phone', tags: {} }]));
      // A timeout on a busy machine says nothing about the limit.
      replies.push(...(await Promise.all(small)).filter(({ status }) => status < 500));
    }
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused[0]).toMatchObject({
      status: 429,
      body: { message: 'application: at most 100 jobs may be open' },
      headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
    });
    expect(await setTags(other, [{ hwid: 'phone', tags: {} }])).toMatchObject({ status: 200 });
    await world.settle(60_000);
    const taken = replies
      .filter(({ status }) => status === 200)
      .map(({ body }) => (body as { request_id: string }).request_id);
    expect((await jobsOf(taken)).map((job) => job?.status)).toEqual(taken.map(() => 'Completed'));
    expect(await setTags(busy, [{ hwid: 'phone', tags: {} }])).toMatchObject({ status: 200 });
    await world.settle();
  });
});
