import { createSecretKey, randomBytes } from 'node:crypto';
import { deviceIdOf, hwidHashOf } from '@tidings/audience';
import { planId } from '@tidings/delivery';
import { MessageAccepted, PlanEvent } from '@tidings/events';
import { Bitmap, CHUNK_SIZE, newMessageCode, Platform, systemClock } from '@tidings/kernel';
import { createCollections, mongoOptions } from '@tidings/mongo';
import {
  type DeviceDocument,
  DEVICES,
  type PlanDocument,
  PLANS,
  OUTGOING,
  type OutgoingDocument,
  outgoingModel,
  plansModel,
} from '@tidings/registry-store';
import type { InboxEntry } from '@tidings/rpc';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { collections } from '../../apps/registry/src/collections.ts';
import { InboxStates } from '../../apps/registry/src/entry-states/entry-states.ts';
import { inboxRpc } from '../../apps/registry/src/inbox/inbox-rpc.ts';
import { type Parts, total, usedBy } from '../lib/parts.ts';
import { cpuMicros } from '../lib/processes.ts';
import { untilSteady } from '../lib/rounds.ts';

export interface InboxReads {
  /** Microseconds per read, per round. */
  readonly ours: readonly Parts[];
  readonly found: readonly Parts[];
  /** Users' first reads, by which entries become reached. */
  readonly first: Parts;
  /** Milliseconds of the first read after a start, which loads the plans of a chunk. */
  readonly coldMs: number;
}

const [url, mongodPid, devicesInAll, broadcasts] = [
  process.argv[2]!,
  ...process.argv.slice(3).map(Number),
] as unknown as [string, number, number, number];

const [ACCOUNT, APP] = ['bench', 'AAAAA-00001'];
const READERS = 500;
const BATCH = 4096;
const HOUR_MS = 3_600_000;
const platforms = [Platform.iOS, Platform.Android];

const key = () => createSecretKey(randomBytes(32));
const keys = { device: key(), token: key() };
const now = Date.now();
const until = new Date(now + 30 * 24 * HOUR_MS);

const client = await MongoClient.connect(url, mongoOptions);
const db = client.db('inbox');
await createCollections(db, [...collections, outgoingModel, plansModel]);

const platformOf = (seq: number): number => platforms[seq % platforms.length]!;
const hwidOf = (seq: number): string => `4c56b789-8f6b-9e4a-1d23-${String(seq).padStart(12, '0')}`;

function device(seq: number): DeviceDocument {
  const hwid = hwidOf(seq);
  const hwidHash = hwidHashOf(keys.device, ACCOUNT, hwid);
  return {
    _id: deviceIdOf(APP, hwidHash),
    rev: 1,
    account: ACCOUNT,
    app: APP,
    hwidHash,
    seq,
    status: 1,
    hwid,
    platform: platformOf(seq),
    token: String(seq).padStart(64, 'f'),
    lang: ['en', 'de'][seq % 2]!,
    tz: 3600,
    cg: seq % 10_000,
    alerts: true,
    createdAt: 0,
    self: { open: now },
    tags: [{ k: 70, v: seq % 100 }],
  };
}

interface Broadcast {
  readonly code: string;
  readonly order: number;
  readonly at: Date;
}

const messages: readonly Broadcast[] = Array.from({ length: broadcasts }, (_, i) => ({
  code: newMessageCode(i % 16),
  order: now * 1000 + i,
  at: new Date(now - (broadcasts - i) * HOUR_MS),
}));

const inEnglish = (text: string) => ({ entries: [{ language: 'default', text }] });

function outgoing({ code, order, at }: Broadcast): OutgoingDocument {
  const accepted = MessageAccepted.fromPartial({
    applications: [APP],
    content: {
      text: inEnglish(`Your week in numbers is here, and it is number ${order}`),
      title: inEnglish('News of the week'),
      link: 'https://example.com/news/of/the/week',
      data: '{"campaign":"ABCDE-12345"}',
      inbox: { days: 30, image: 'https://example.com/picture.png' },
    },
  });
  return {
    _id: code,
    id: order,
    account: ACCOUNT,
    accepted: MessageAccepted.encode(accepted).finish(),
    acceptedAt: at,
    releasedAt: at,
    order,
    expireAt: until,
  };
}

function plan({ code, order, at }: Broadcast, chunk: number): PlanDocument {
  const size = Math.min(CHUNK_SIZE, devicesInAll - chunk * CHUNK_SIZE);
  const eligible = platforms.map((platform, i) => {
    const positions = Array.from({ length: size }, (_, position) => position).filter((p) => p % platforms.length === i);
    return { platform, set: Buffer.from(Bitmap.of(positions).encode()) };
  });
  const removal = BigInt(Math.floor(until.getTime() / 1000));
  const event = PlanEvent.fromPartial({
    message: code,
    messageId: BigInt(order),
    account: ACCOUNT,
    application: APP,
    bucket: 0,
    at,
    event: { $case: 'chunk', value: { chunk, eligible, inbox: { removal } } },
  });
  return {
    _id: planId({ message: code, application: APP, bucket: 0, chunk }),
    event: PlanEvent.encode(event).finish(),
    slices: [],
    named: false,
    at,
    settledAt: at,
    inbox: { app: APP, chunk, until },
  };
}

async function insert<T extends Document>(name: string, count: number, make: (i: number) => T): Promise<void> {
  const collection = db.collection<Document>(name);
  for (let from = 0; from < count; from += BATCH) {
    const documents = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => make(from + i));
    await collection.insertMany(documents, { ordered: false });
  }
}

const chunks = Math.ceil(devicesInAll / CHUNK_SIZE);
await insert(DEVICES, devicesInAll, device);
await insert(OUTGOING, broadcasts, (i) => outgoing(messages[i]!));
for (const message of messages) await insert(PLANS, chunks, (chunk) => plan(message, chunk));

const open = () =>
  inboxRpc({
    db,
    clock: systemClock,
    keys,
    reportKey: key(),
    states: new InboxStates(db),
    broker: { publish: async () => [] },
    owners: { learn: async () => undefined, owns: () => true, mailFromOf: () => '', titleOf: () => '' },
    // The messages refer to no tags.
    tags: { of: neverCalled, cached: neverCalled, read: neverCalled },
  });
function neverCalled(): never {
  throw new Error('no tags are needed');
}
const inbox = open();

const readers = Array.from({ length: READERS }, (_, i) => Math.floor((i * devicesInAll) / READERS));

async function read(seq: number, from = inbox): Promise<readonly InboxEntry[]> {
  const userId = hwidOf(seq);
  const owner = { account: ACCOUNT, application: APP, userId, hwid: userId };
  const { entries } = await from.list({ owner, before: '', count: 0 });
  if (entries.length !== broadcasts) throw new Error(`${entries.length} of ${broadcasts} entries`);
  return entries;
}

const cpu = (): Parts => ({ reader: cpuMicros(process.pid), mongod: cpuMicros(mongodPid) });

const measured = (work: (seq: number) => Promise<unknown>): Promise<Parts> =>
  usedBy(cpu, readers.length, async () => {
    for (const seq of readers) await work(seq);
  });

const startedAt = performance.now();
await read(readers[0]! + 1, open());
const coldMs = performance.now() - startedAt;
const first = await measured(read);

// Each entry stored for its user.
const stored: Collection = db.collection('storedEntries');
await stored.createIndex({ user: 1, order: -1 });
for (const seq of readers) {
  const entries = await read(seq);
  await stored.insertMany(
    entries.map(({ order, ...entry }) => ({ ...entry, order: Number(order), user: hwidOf(seq) })),
  );
}
const find = async (seq: number): Promise<void> => {
  const entries = await stored
    .find({ user: hwidOf(seq) })
    .sort({ order: -1 })
    .toArray();
  if (entries.length !== broadcasts) throw new Error(`${entries.length} of ${broadcasts} entries stored`);
};

await Promise.all([measured(read), measured(find)]);
const rounds = await untilSteady(
  async () => ({ found: await measured(find), ours: await measured(read) }),
  ({ found, ours }) => total(ours) / total(found),
);
await client.close();
const ready: InboxReads = {
  ours: rounds.map(({ ours }) => ours),
  found: rounds.map(({ found }) => found),
  first,
  coldMs,
};
console.log(JSON.stringify({ ready }));
