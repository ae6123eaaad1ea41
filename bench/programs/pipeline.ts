import { generateKeyPairSync, sign } from 'node:crypto';
import { type ClientHttp2Session, connect } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import fastify from 'fastify';
import mongoose, { type Types } from 'mongoose';
import { compile, type Tags } from '../lib/templates.ts';

/**
 * The baseline of G3 and G13: broadcasts by mongoose and `node:http2`, as a good team writes them in a week. argv: URLs of MongoDB and APNs.
 *
 * A message is stored before it is accepted. The counts of a batch and the last of its devices are stored in one write, majority and journaled, before
 * the batch after the next is sent. A restart goes on behind that device, so at most two batches are sent twice. Results of single devices are not
 * stored, except that invalid tokens are removed.
 */
const [mongoUrl = '', apnsUrl = ''] = process.argv.slice(2);

const BATCH = 500;
const SESSIONS = 2;
const TRIES = 4;
const RETRY_MS = 500;
const RENEW_TOKEN_MS = 50 * 60_000;
const MOST_BYTES = 8 << 20;

type Texts = Readonly<Record<string, string>>;

interface Device {
  readonly _id: Types.ObjectId;
  readonly application: string;
  readonly hwid: string;
  readonly token?: string;
  readonly language: string;
  readonly tags: Tags;
}

interface Message {
  readonly _id: Types.ObjectId;
  readonly application: string;
  readonly title: Texts;
  readonly content: Texts;
  readonly data: object;
  readonly conditions: readonly (readonly [tag: string, operator: 'EQ' | 'GTE', value: string | number])[];
  readonly status: 'sending' | 'sent';
  readonly lastDevice?: Types.ObjectId;
  readonly sent: number;
  readonly failed: number;
  readonly reasons: Readonly<Record<string, number>>;
}

const { Schema } = mongoose;
const connection = await mongoose
  .createConnection(mongoUrl, { dbName: 'pipeline', writeConcern: { w: 'majority', journal: true } })
  .asPromise();

const deviceSchema = new Schema<Device>(
  { application: String, hwid: String, token: String, language: String, tags: Object },
  { versionKey: false },
);
deviceSchema.index({ application: 1, hwid: 1 }, { unique: true });
deviceSchema.index({ application: 1, _id: 1 });
const Devices = connection.model('Device', deviceSchema);

const Messages = connection.model(
  'Message',
  new Schema<Message>(
    {
      application: String,
      title: Object,
      content: Object,
      data: Object,
      conditions: Array,
      status: { type: String, index: true },
      lastDevice: Schema.Types.ObjectId,
      sent: { type: Number, default: 0 },
      failed: { type: Number, default: 0 },
      reasons: { type: Object, default: {} },
    },
    { versionKey: false, minimize: false },
  ),
);
await Promise.all([Devices.init(), Messages.init()]);

function compilePayload({ _id, title, content, data }: Message): (device: Device) => string {
  const templates = new Map(
    Object.keys(content).map((language) => [
      language,
      { title: compile(title[language] ?? ''), body: compile(content[language]!) },
    ]),
  );
  const fallback = templates.get('en') ?? [...templates.values()][0]!;
  return ({ language, tags }) => {
    const texts = templates.get(language) ?? fallback;
    return JSON.stringify({
      aps: { alert: { title: texts.title(tags), body: texts.body(tags) }, sound: 'default' },
      p: _id,
      u: data,
    });
  };
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
let providerToken = { text: '', renewAt: 0 };

function authorization(): string {
  if (Date.now() >= providerToken.renewAt) {
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: 'DEF123GHIJ', iat: Math.floor(Date.now() / 1000) };
    const text = `${encode({ alg: 'ES256', kid: 'ABC123DEFG' })}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    providerToken = { text: `bearer ${text}.${signature.toString('base64url')}`, renewAt: Date.now() + RENEW_TOKEN_MS };
  }
  return providerToken.text;
}

const sessions: ClientHttp2Session[] = [];
let turn = 0;

function nextSession(): ClientHttp2Session {
  const index = turn++ % SESSIONS;
  const open = sessions[index];
  if (open && !open.closed && !open.destroyed) return open;
  const session = connect(apnsUrl);
  session.on('error', () => session.destroy());
  session.on('goaway', () => session.close());
  return (sessions[index] = session);
}

/** Status 0 = the connection was lost. */
interface Reply {
  readonly status: number;
  readonly reason: string;
}

const request = (token: string, body: string): Promise<Reply> =>
  new Promise((resolve) => {
    const stream = nextSession().request({
      ':method': 'POST',
      ':path': `/3/device/${token}`,
      authorization: authorization(),
      'apns-topic': 'com.example.bench',
      'apns-push-type': 'alert',
      'apns-priority': '10',
    });
    let [status, text] = [0, ''];
    stream.on('response', (headers) => (status = headers[':status'] ?? 0));
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    stream.on('error', () => undefined);
    stream.on('close', () => {
      if (text === '') resolve({ status, reason: status === 0 ? 'ConnectionLost' : '' });
      else resolve({ status, reason: (JSON.parse(text) as { reason: string }).reason });
    });
    stream.end(body);
  });

const isTransient = ({ status }: Reply): boolean => status === 0 || status === 429 || status >= 500;

async function push(token: string, body: string): Promise<Reply> {
  let reply = await request(token, body);
  for (let tries = 1; tries < TRIES && isTransient(reply); tries++) {
    await delay(RETRY_MS * 2 ** tries);
    reply = await request(token, body);
  }
  return reply;
}

async function record(message: Message, batch: readonly Device[], replies: readonly Reply[]): Promise<void> {
  const counts: Record<string, number> = { sent: 0, failed: 0 };
  const deadTokens: Types.ObjectId[] = [];
  for (const [i, { status, reason }] of replies.entries()) {
    if (status === 200) {
      counts['sent']!++;
      continue;
    }
    counts['failed']!++;
    counts[`reasons.${reason}`] = (counts[`reasons.${reason}`] ?? 0) + 1;
    if (status === 410 || reason === 'BadDeviceToken') deadTokens.push(batch[i]!._id);
  }
  if (deadTokens.length > 0) await Devices.updateMany({ _id: { $in: deadTokens } }, { $unset: { token: 1 } });
  await Messages.updateOne({ _id: message._id }, { $inc: counts, $set: { lastDevice: batch.at(-1)!._id } });
}

const operators = { EQ: '$eq', GTE: '$gte' } as const;

async function send(message: Message): Promise<void> {
  const payload = compilePayload(message);
  const conditions = message.conditions.map(([tag, operator, value]) => ({
    [`tags.${tag}`]: { [operators[operator]]: value },
  }));
  const cursor = Devices.find({
    application: message.application,
    token: { $exists: true },
    ...(message.lastDevice && { _id: { $gt: message.lastDevice } }),
    $and: conditions,
  })
    .sort({ _id: 1 })
    .lean<Device[]>()
    .cursor({ batchSize: BATCH });
  let recorded: Promise<void> = Promise.resolve();
  await cursor.eachAsync(
    async (batch: Device[]) => {
      const replies = Promise.all(batch.map((device) => push(device.token!, payload(device))));
      await recorded;
      recorded = replies.then((all) => record(message, batch, all));
    },
    { batchSize: BATCH },
  );
  await recorded;
  await Messages.updateOne({ _id: message._id }, { status: 'sent' });
}

/** A message that fails stays in `sending`: the next start goes on with it. */
function start(message: Message): void {
  send(message).catch((error: unknown) => console.error(error));
}

const app = fastify({ bodyLimit: MOST_BYTES });
app.post('/devices', async ({ body }) => {
  await Devices.insertMany(body as Device[]);
  return {};
});
app.post('/messages', async ({ body }) => {
  const created = await Messages.create({ ...(body as Message), status: 'sending' });
  start(created.toObject());
  return { id: created._id };
});
app.get('/messages/:id', ({ params }) => Messages.findById((params as { id: string }).id).lean());
for (const message of await Messages.find({ status: 'sending' }).lean<Message[]>()) start(message);
const address = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ ready: { url: address } }));
