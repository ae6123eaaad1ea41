import { expect, it } from '@jest/globals';
import { bytesOf } from '@tidings/events';
import { createCollections } from '@tidings/mongo';
import { JobEntry } from '@tidings/rpc';
import { describeWithMongo } from '@tidings/testing';
import { collections } from '../collections.ts';
import { openJobParts } from './job-parts.ts';

const at = new Date(0);
const encoded = (tags: Record<string, unknown>) =>
  Buffer.from(bytesOf(JobEntry, JobEntry.create({ identifier: { $case: 'userId', value: 'u' }, tags })));

describeWithMongo('parts', (mongo) => {
  it('keep the devices that were resolved first', async () => {
    await createCollections(mongo.db, collections);
    const parts = openJobParts(mongo.db);
    await parts.store('job', 0, { entries: [encoded({})] }, at);
    const hwids = new Map([[0, ['phone-1']]]);
    const part = (await parts.find('job', 0))!;
    const first = { ...part, hwids };
    expect(await parts.resolve('job', part, { entries: 1, hwids })).toEqual(first);
    const later = new Map([[0, ['phone-1', 'phone-2']]]);
    expect(await parts.resolve('job', part, { entries: 1, hwids: later })).toEqual(first);
    await parts.store('job', 0, { entries: [encoded({})] }, at);
    expect(await parts.find('job', 0)).toEqual(first);
  });

  it('keep the devices of a user once, and read those of every entry', async () => {
    const parts = openJobParts(mongo.db);
    await parts.store('repeats', 0, { entries: [encoded({}), encoded({}), encoded({})] }, at);
    const devices = ['phone-1', 'phone-2'];
    const hwids = new Map([0, 1, 2].map((place) => [place, devices]));
    await parts.resolve('repeats', (await parts.find('repeats', 0))!, { entries: 3, hwids });
    expect((await parts.find('repeats', 0))!.hwids).toEqual(hwids);
    const stored = mongo.db.collection<{ _id: string; hwids: unknown }>('jobParts');
    expect((await stored.findOne({ _id: 'repeats/0' }))!.hwids).toEqual([{ entry: 0, hwids: devices }]);
    // An earlier version kept them with each entry.
    const each = [0, 1, 2].map((entry) => ({ entry, hwids: [`phone-${entry}`] }));
    await stored.updateOne({ _id: 'repeats/0' }, { $set: { hwids: each } });
    const found = (await parts.find('repeats', 0))!.hwids!;
    expect([...found.values()]).toEqual([['phone-0'], ['phone-1'], ['phone-2']]);
  });

  it('are divided as they were first, and have all their divisions before the next part', async () => {
    const parts = openJobParts(mongo.db);
    const entries = [0, 1, 2].map((Level) => encoded({ Level }));
    await parts.store('cut', 0, { entries }, at);
    await parts.store('cut', 1, { entries: [encoded({ Level: 3 })] }, at);
    const whole = (await parts.find('cut', 0))!;
    const hwids = new Map([[0, ['phone-1']]]);
    const first = await parts.resolve('cut', whole, { entries: 1, hwids });
    expect(first).toMatchObject({ number: 0, entries: [{ tags: { Level: 0 } }], hwids, isCut: true });
    expect(await parts.resolve('cut', whole, { entries: 2, hwids: new Map() })).toEqual(first);
    const next = await parts.next('cut', 0);
    expect(next).toMatchObject({ entries: [{ tags: { Level: 1 } }, { tags: { Level: 2 } }], isCut: false });
    expect(next.hwids).toBeUndefined();
    await parts.resolve('cut', next, { entries: 1, hwids });
    expect(await parts.next('cut', 0)).toMatchObject({ entries: [{ tags: { Level: 1 } }], hwids, isCut: true });
    await parts.next('cut', next.number);
    const levelsUpTo = async (end: number): Promise<unknown[]> => {
      const levels: unknown[] = [];
      for await (const { entries: of } of parts.all('cut', end))
        levels.push(...of.map(({ tags }): unknown => tags!['Level']));
      return levels;
    };
    expect(await levelsUpTo(1)).toEqual([0, 1, 2]);
    expect(await levelsUpTo(2)).toEqual([0, 1, 2, 3]);
    await parts.remove(['cut']);
    expect(await levelsUpTo(2)).toEqual([]);
  });

  it('store any JSON of a request (R-ER1)', async () => {
    const parts = openJobParts(mongo.db);
    const value = JSON.parse(`${'{"a":'.repeat(63)}1${'}'.repeat(63)}`) as unknown;
    const entries = [encoded({}), encoded({ Level: value }), encoded({ Level: 1 })];
    await parts.store('deep', 0, { entries }, at);
    const part = await parts.find('deep', 0);
    expect(part!.entries.map(({ tags }) => tags)).toEqual([{}, { Level: value }, { Level: 1 }]);
    expect(part!.entryBytes).toBe(entries[1]!.length);
  });
});
