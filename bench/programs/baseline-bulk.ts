import fastify from 'fastify';
import { MongoClient } from 'mongodb';
import type { BulkDevice } from '../lib/load.ts';

/**
 * G5's baseline (docs/adr/0020-what-an-upload-is-measured-against.md). argv: MongoDB's URL. Answers `{application, devices}` when all are written.
 */
const BATCH = 1000;
const client = await new MongoClient(process.argv[2]!, { maxPoolSize: 4 }).connect();
const stored = client.db('baseline').collection('devices');
await stored.createIndex({ app: 1, hwid: 1 }, { unique: true });
await stored.createIndex({ app: 1, 'tags.k': 1, 'tags.v': 1 });

interface Upload {
  readonly application: string;
  readonly devices: readonly BulkDevice[];
}

const device = {
  type: 'object',
  required: ['hwid', 'push_token', 'platform'],
  properties: {
    hwid: { type: 'string', minLength: 1, maxLength: 255 },
    push_token: { type: 'string', maxLength: 4096 },
    platform: { type: 'integer' },
    tags: { type: 'object' },
  },
};
const body = {
  type: 'object',
  required: ['application', 'devices'],
  properties: { application: { type: 'string' }, devices: { type: 'array', items: device } },
};

const upsertOf = (app: string, { hwid, platform, push_token: token, tags }: BulkDevice) => {
  const set = { platform, token, tags: Object.entries(tags).map(([k, v]) => ({ k, v })), updatedAt: new Date() };
  return { updateOne: { filter: { app, hwid }, update: { $set: set }, upsert: true } };
};

const server = fastify({ bodyLimit: 64 * 1024 * 1024 });
server.post('/', { schema: { body } }, async (request) => {
  const { application, devices } = request.body as Upload;
  for (let done = 0; done < devices.length; done += BATCH) {
    const batch = devices.slice(done, done + BATCH).map((one) => upsertOf(application, one));
    await stored.bulkWrite(batch, { ordered: false, writeConcern: { w: 'majority', journal: true } });
  }
  return {};
});
const url = await server.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ ready: { url } }));
