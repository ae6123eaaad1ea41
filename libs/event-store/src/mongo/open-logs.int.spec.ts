import { describeWithMongo } from '@tidings/testing';
import type { Document } from 'mongodb';
import { eventStoreFeatures } from '../event-store.features.ts';
import { guarded } from './guards.ts';
import { openLogs } from './open-logs.ts';

describeWithMongo('openLogs', (mongo) =>
  eventStoreFeatures('MongoDB', async () => {
    await mongo.db.createCollection('things', guarded);
    return {
      open: (definition, options) => openLogs(mongo.db, definition, options),
      async document({ collection, id }) {
        return (await mongo.db.collection<Document & { _id: string }>(collection).findOne({ _id: id })) ?? undefined;
      },
      async commits(log) {
        const found = mongo.db.collection<{ _id: { log: string; position: number }; events: unknown[] }>(
          'things.commits',
        );
        const commits = await found.find({ '_id.log': log }).sort({ _id: 1 }).toArray();
        return commits.map(({ _id, events }) => ({ position: _id.position, events }));
      },
      close: async () => {},
    };
  }),
);
