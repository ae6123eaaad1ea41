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
    const first = new Map([[0, ['phone-1']]]);
    expect(await parts.resolve('job', 0, first)).toEqual(first);
    expect(await parts.resolve('job', 0, new Map([[0, ['phone-1', 'phone-2']]]))).toEqual(first);
    expect(await parts.find('job', 0)).toMatchObject({ hwids: first });
  });

  it('hold whatever JSON a request may hold (R-ER1)', async () => {
    const parts = openJobParts(mongo.db);
    const value = JSON.parse(`${'{"a":'.repeat(63)}1${'}'.repeat(63)}`) as unknown;
    const entries = [encoded({}), encoded({ Level: value }), encoded({ Level: 1 })];
    await parts.store('deep', 0, { entries }, at);
    const part = await parts.find('deep', 0);
    expect(part!.entries.map(({ tags }) => tags)).toEqual([{}, { Level: value }, { Level: 1 }]);
    expect(part!.entryBytes).toBe(entries[1]!.length);
  });
});
