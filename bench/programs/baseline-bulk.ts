import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { MongoClient } from 'mongodb';
import { bulkDevice } from '../lib/load.ts';

/**
 * G5's baseline: usual good practice, an unordered `bulkWrite` of upserts for every thousand devices, as durable as ours. argv: MongoDB's URL.
 * A posted `{first, amount, salt}` is answered when its devices are written.
 */
const BATCH = 1000;
const client = await new MongoClient(process.argv[2]!, { maxPoolSize: 4 }).connect();
const devices = client.db('baseline').collection('devices');
await devices.createIndex({ app: 1, hwid: 1 }, { unique: true });

function upsertOf(i: number, salt: string) {
  const { hwid, platform, push_token: token, tags } = bulkDevice(i, salt);
  const set = { platform, token, tags: Object.entries(tags).map(([k, v]) => ({ k, v })), updatedAt: new Date() };
  return { updateOne: { filter: { app: 'A1B2C-3D4E5', hwid }, update: { $set: set }, upsert: true } };
}

async function write(first: number, amount: number, salt: string): Promise<void> {
  for (let done = 0; done < amount; done += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, amount - done) }, (_, i) => upsertOf(first + done + i, salt));
    await devices.bulkWrite(batch, { ordered: false, writeConcern: { w: 'majority', journal: true } });
  }
}

const server = createServer((request, response) => {
  void text(request).then(async (body) => {
    const { first, amount, salt } = JSON.parse(body) as { first: number; amount: number; salt: string };
    await write(first, amount, salt);
    response.end();
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
console.log(JSON.stringify({ ready: { url: `http://127.0.0.1:${port}` } }));
