import { expect, it } from '@jest/globals';
import { describeWithMongo } from '@tidings/testing';
import { freeBytes } from './free-bytes.ts';

describeWithMongo('the free bytes', (mongo) => {
  it('are reported for an existing database', async () => {
    expect(await freeBytes(mongo.database('none'))).toBeUndefined();
    await mongo.db.createCollection('some');
    expect(await freeBytes(mongo.db)).toBeGreaterThan(0);
  });
});
