import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EmbeddedBroker, RecordBatch } from '@tidings/streaming';
import { testBroker } from './broker.ts';
import { describeWithMongo, startMongo } from './mongo.ts';

describeWithMongo('startMongo', (mongo) => {
  // A suite uses its store in its own closing hooks: a failing hook fails the tests around it.
  afterAll(async () => void (await mongo.db.command({ ping: 1 })));

  it('shares one server between suites, each with databases of its own', async () => {
    const other = await startMongo();
    expect(other.url).toBe(mongo.url);
    await other.db.collection<{ _id: string }>('c').insertOne({ _id: 'a' });
    expect(await mongo.db.collection('c').countDocuments()).toBe(0);
    expect(other.database('main').databaseName).toBe(other.db.databaseName);
    await other.close();
    const { databases } = await mongo.client.db('admin').admin().listDatabases({ nameOnly: true });
    expect(databases.map(({ name }) => name)).not.toContain(other.db.databaseName);
  });

  describe('testBroker', () => {
    let broker: EmbeddedBroker;
    beforeAll(async () => void (broker = await testBroker({ db: mongo.database('log') })));
    afterAll(() => broker.close());

    it('delivers published records', async () => {
      const delivered = new Promise<RecordBatch>((resolve) => {
        void broker.subscribe({ group: 'g', topics: ['tidings.messages'], handler: async (batch) => resolve(batch) });
      });
      await broker.publish('tidings.messages', [{ key: 'k', value: Buffer.from('v') }]);
      expect((await delivered).records).toMatchObject([{ key: 'k', offset: 0 }]);
    });
  });
});
