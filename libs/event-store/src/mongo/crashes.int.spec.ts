import { describeWithMongo } from '@tidings/testing';
import type { Document } from 'mongodb';
import { survivesCrashes } from '../crashes.features.ts';
import { things } from '../things.features.ts';
import { guarded } from './guards.ts';
import { mongoLogStore } from './open-logs.ts';

describeWithMongo('event logs on MongoDB', (mongo) => {
  let runs = 0;
  survivesCrashes(async () => {
    const db = mongo.database(`crashes${++runs}`);
    if (runs % 2 === 0) await db.createCollection('things', guarded);
    return {
      open: () => mongoLogStore(db, things),
      async document({ collection, id }) {
        return (await db.collection<Document & { _id: string }>(collection).findOne({ _id: id })) ?? undefined;
      },
      async events(log) {
        const commits = db.collection<{ _id: { log: string; position: number }; events: Uint8Array[] }>(
          'things.commits',
        );
        const found = await commits.find({ '_id.log': log }, { promoteBuffers: true }).sort({ _id: 1 }).toArray();
        return found.map(({ _id, events }) => ({ position: _id.position, events }));
      },
    };
  }, 25);
});
