import { afterAll, expect, it } from '@jest/globals';
import { describeWithMongo, LONG_TIMEOUT, TestClock, until } from '@tidings/testing';
import type { CountingLogWriter } from '../log-options.ts';
import { type ThingCommand, type ThingReply, things } from '../things.features.ts';
import { openCommits } from './open-commits.ts';
import { openLogs } from './open-logs.ts';

describeWithMongo('openCommits', (mongo) => {
  const clock = new TestClock();
  const opened: CountingLogWriter<ThingCommand, ThingReply>[] = [];
  const open = () => {
    const writer = openLogs(mongo.db, things, { ...LONG_TIMEOUT, clock, applyEveryMs: 10 });
    opened.push(writer);
    return writer;
  };
  afterAll(() => Promise.all(opened.map((writer) => writer.close())));

  const add = (writer: CountingLogWriter<ThingCommand, ThingReply>, log: string, key: string) =>
    writer.submit(log, { kind: 'add', id: log, key, by: 1 });
  const applied = async (log: string): Promise<unknown> =>
    (await mongo.db.collection<{ _id: string; applied: number }>('things.heads').findOne({ _id: log }))?.applied;

  it('reads commits by position and by time', async () => {
    const writer = open();
    const commits = openCommits(mongo.db, things);
    const log = 'things-read';
    expect(await commits.newest(log)).toBe(0);
    await add(writer, log, 'a');
    await add(writer, log, 'b');
    clock.advance(60);
    await add(writer, log, 'c');
    await add(writer, 'things-reading', 'other');

    const keys = (found: readonly { position: number; events: readonly unknown[] }[]) =>
      found.map(({ position, events }) => [position, ...events.map((event) => (event as { key: string }).key)]);
    expect(keys(await commits.after(log, 0, 2))).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
    expect(keys(await commits.after(log, 2, 10))).toEqual([[3, 'c']]);
    expect(keys(await commits.pick(log, [3, 1, 9]))).toEqual([
      [1, 'a'],
      [3, 'c'],
    ]);
    expect([await commits.newest(log), await commits.newestBefore(log, clock.date)]).toEqual([3, 2]);
  });

  it('removes old, applied commits, and no writer reuses their positions', async () => {
    const [idle, busy] = [open(), open()];
    const commits = openCommits(mongo.db, things);
    const log = 'things-removed';
    await add(idle, log, 'first');
    for (const key of ['a', 'b', 'c']) await add(busy, log, key);
    await until(async () => (await applied(log)) === 4);
    clock.advance(60);
    await commits.removeBefore(clock.date);
    expect(await commits.after(log, 0, 10)).toEqual([]);

    // The other writer does this once a second.
    await idle.applyCommits();
    expect(await add(idle, log, 'last')).toEqual({ count: 5 });
    expect(await commits.after(log, 0, 10)).toMatchObject([{ position: 5 }]);
  });

  it('keeps commits that are not published yet, or need an operator', async () => {
    const writer = open();
    const commits = openCommits(mongo.db, things, { isRelayed: true });
    const log = 'things-kept';
    for (const key of ['a', 'b', 'c', 'd', 'e']) await add(writer, log, key);
    await until(async () => (await applied(log)) === 5);
    clock.advance(60);
    const left = async (): Promise<number[]> => {
      await commits.removeBefore(clock.date);
      return (await commits.after(log, 0, 10)).map(({ position }) => position);
    };
    expect(await left()).toEqual([1, 2, 3, 4, 5]);

    type Id<Fields> = { readonly _id: Fields };
    const heads = mongo.db.collection<Id<string> & { published: number }>('things.heads');
    const quarantine = mongo.db.collection<Id<object> & { log: string; position: number }>('things.quarantine');
    const unpublished = mongo.db.collection<Id<{ log: string; position: number }>>('things.unpublished');
    // Writers apply commits of quarantined documents once a second.
    for (const each of opened.splice(0)) await each.close();
    await heads.updateOne({ _id: log }, { $set: { published: 4 } });
    await quarantine.insertOne({ _id: { collection: 'things', id: 'x' }, log, position: 2 });
    await unpublished.insertOne({ _id: { log, position: 3 } });
    expect(await left()).toEqual([2, 3, 4, 5]);
    await quarantine.deleteOne({ log });
    expect(await left()).toEqual([3, 4, 5]);
    await unpublished.deleteOne({ _id: { log, position: 3 } });
    expect(await left()).toEqual([5]);
  });
});
