import fastify from 'fastify';
import mongoose from 'mongoose';

/** G2's baseline: one mongoose `findOneAndUpdate` per request, as durable as ours. argv: MongoDB's URL. */
const connection = await mongoose
  .createConnection(process.argv[2]!, { dbName: 'baseline', maxPoolSize: 32 })
  .asPromise();
const schema = new mongoose.Schema(
  {
    application: String,
    hwid: String,
    platform: Number,
    token: String,
    language: String,
    timezone: Number,
    appVersion: String,
    osVersion: String,
    model: String,
    tags: Object,
    updatedAt: Date,
  },
  { versionKey: false },
);
schema.index({ application: 1, hwid: 1 }, { unique: true });
const Device = connection.model('Device', schema);
await Device.init();

interface Registration {
  readonly application: string;
  readonly hwid: string;
  readonly device_type: number;
  readonly push_token: string;
  readonly language: string;
  readonly timezone: number;
  readonly app_version: string;
  readonly os_version: string;
  readonly device_model: string;
  readonly tags: Record<string, unknown>;
}

const app = fastify();
app.post('/json/1.3/registerDevice', async (request) => {
  const { request: body } = request.body as { request: Registration };
  await Device.findOneAndUpdate(
    { application: body.application, hwid: body.hwid },
    {
      $set: {
        platform: body.device_type,
        token: body.push_token,
        language: body.language,
        timezone: body.timezone,
        appVersion: body.app_version,
        osVersion: body.os_version,
        model: body.device_model,
        tags: body.tags,
        updatedAt: new Date(),
      },
    },
    { upsert: true, writeConcern: { w: 'majority', j: true } },
  );
  return { status_code: 200, status_message: 'OK', response: null };
});
const url = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ ready: { url } }));
