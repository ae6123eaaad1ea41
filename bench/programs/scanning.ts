import { type Expression, Operator, TagType } from '@tidings/events';
import { createCollections, mongoOptions } from '@tidings/mongo';
import {
  Columns,
  DeviceScan,
  projectionOf,
  type DeviceDocument,
  deviceIndexes,
  DEVICES,
  devicesModel,
} from '@tidings/registry-store';
import type { Lookup } from '@tidings/segments';
import { type Collection, MongoClient } from 'mongodb';
import { type Parts, total, usedBy } from '../lib/parts.ts';
import { cpuMicros } from '../lib/processes.ts';
import { untilSteady } from '../lib/rounds.ts';

/** Reads two chunks by the fan-out's scans and by the driver, and segments by every plan that an index offers. */
export interface Scans {
  /** Microseconds per device, per round. */
  readonly scan: readonly Parts[];
  readonly driver: readonly Parts[];
  /** Microseconds for the whole application, per segment and round. */
  readonly segments: readonly {
    readonly title: string;
    readonly chosen: readonly Parts[];
    readonly best: readonly Parts[];
  }[];
}

const APP = 'AAAAA-00001';
const DEVICES_IN_ALL = 131_072;
const CHUNKS = 2;
const BATCH = 1000;
const now = new Date('2026-03-15T12:00:00Z');
const MINUTE_MS = 60_000;

const device = (seq: number): DeviceDocument => ({
  _id: `${APP}:${String(seq).padStart(22, '0')}`,
  rev: 1,
  account: 'a',
  app: APP,
  hwidHash: String(seq).padStart(22, 'x'),
  seq,
  status: 1,
  hwid: `hwid-${seq}`,
  platform: seq % 3 === 0 ? 3 : 1,
  token: String(seq).padStart(64, 'f'),
  lang: ['en', 'de', 'fr'][seq % 3]!,
  tz: (seq % 24) * 3600 - 43_200,
  cg: seq % 10_000,
  alerts: true,
  createdAt: 0,
  self: { open: now.getTime() - ((seq * 7919) % 43_200) * MINUTE_MS },
  tags: [
    { k: 70, v: seq % 100 },
    { k: 71, v: `name of ${seq}` },
    { k: 72, v: seq % 2 === 0 ? 'news' : 'sport' },
    { k: 72, v: seq % 1000 === 0 ? 'chess' : 'music' },
  ],
});

type Value = number | string;

const tag = (number: number, type: TagType, operator: Operator, ...values: Value[]): Expression => ({
  node: {
    $case: 'tag',
    value: {
      tag: number,
      type,
      operator,
      application: '',
      operands: values.map((value) => ({
        value: typeof value === 'number' ? { $case: 'number', value } : { $case: 'text', value },
      })),
    },
  },
});
const all = (...of: Expression[]): Expression => ({ node: { $case: 'all', value: { of } } });
const any = (...of: Expression[]): Expression => ({ node: { $case: 'any', value: { of } } });
const not = (value: Expression): Expression => ({ node: { $case: 'not', value } });

const { TAG_TYPE_INTEGER: INTEGER, TAG_TYPE_STRING: STRING, TAG_TYPE_LIST: LIST } = TagType;
const { OPERATOR_EQ: EQ, OPERATOR_IN: IN, OPERATOR_GTE: GTE, OPERATOR_LTE: LTE } = Operator;
const openedWithin = (daysAgo: number): Expression => ({
  node: {
    $case: 'tag',
    value: {
      tag: 9,
      type: TagType.TAG_TYPE_DATE,
      operator: GTE,
      application: '',
      operands: [{ value: { $case: 'date', value: { atMs: 0n, wholeDay: true, daysAgo } } }],
    },
  },
});

/** With the leaves that are looked up; none = every device is read. */
const segments: readonly {
  readonly title: string;
  readonly expression: Expression;
  readonly plans: readonly Lookup[];
}[] = [
  { title: '1 in 100', expression: tag(70, INTEGER, EQ, 7), plans: [[], [0]] },
  { title: 'half', expression: tag(72, LIST, IN, 'news'), plans: [[], [0]] },
  {
    title: 'half and 1 in 1,000',
    expression: all(tag(72, LIST, IN, 'news'), tag(72, LIST, IN, 'chess')),
    plans: [[], [0], [1]],
  },
  {
    title: '1 in 100 but 1 in 3',
    expression: all(tag(70, INTEGER, EQ, 7), not(tag(1, STRING, EQ, 'de'))),
    plans: [[], [0]],
  },
  {
    title: '1 in 1,000 or 1 in 100',
    expression: any(tag(72, LIST, IN, 'chess'), tag(70, INTEGER, EQ, 8)),
    plans: [[], [0, 1]],
  },
  { title: 'a range of 90 in 100', expression: tag(70, INTEGER, GTE, 10), plans: [[], [0]] },
  { title: 'a range of 3 in 100', expression: tag(70, INTEGER, LTE, 2), plans: [[], [0]] },
  { title: 'opened yesterday or today', expression: openedWithin(1), plans: [[], [0]] },
  {
    title: 'one time zone, opened within 10 days',
    expression: all(tag(4, INTEGER, EQ, 3600), openedWithin(10)),
    plans: [[], [0], [1]],
  },
];

const [url, mongodPid] = [process.argv[2]!, Number(process.argv[3])];
const client = await MongoClient.connect(url, mongoOptions);
const db = client.db('scanning');
await createCollections(db, [devicesModel]);
const devices: Collection<DeviceDocument> = db.collection(DEVICES);
for (let from = 0; from < DEVICES_IN_ALL; from += 4096) {
  await devices.insertMany(
    Array.from({ length: 4096 }, (_, i) => device(from + i)),
    { ordered: false },
  );
}

const cpu = (): Parts => ({ scan: cpuMicros(process.pid), mongod: cpuMicros(mongodPid) });

const scan = new DeviceScan(db);
const columns = new Columns();

async function select(expression: Expression | undefined, lookup: Lookup): Promise<number> {
  let found = 0;
  for (let chunk = 0; chunk < CHUNKS; chunk++) {
    await scan.selected(columns, { application: APP, chunk }, { expression, now }, lookup, {});
    found += columns.count;
  }
  return found;
}

/** Equally hinted and batched, decoded by the driver. */
async function decode(): Promise<number> {
  const found: unknown[] = [];
  const options = { projection: projectionOf({}), hint: deviceIndexes.seq, batchSize: BATCH };
  for await (const { token, platform, lang, seq } of devices.find({ app: APP, token: { $exists: true } }, options)) {
    found.push({ token, platform, lang, seq });
  }
  return found.length;
}

const agree = (what: string, found: number, expected: number): void => {
  if (found !== expected) throw new Error(`${what}: ${found} devices instead of ${expected}`);
};

agree('scan', await select(undefined, []), DEVICES_IN_ALL);
agree('driver', await decode(), DEVICES_IN_ALL);
const scans = await untilSteady(
  async () => ({
    our: await usedBy(cpu, DEVICES_IN_ALL, () => select(undefined, [])),
    their: await usedBy(cpu, DEVICES_IN_ALL, decode),
  }),
  ({ our, their }) => their['scan']! / our['scan']!,
);

const planned = [];
for (const { title, expression, plans } of segments) {
  const lookup = await scan.chooseLookup(APP, { expression, now });
  const count = await select(expression, []);
  const names = plans.map((plan) => plan.join());
  const chosen = names.indexOf(lookup.join());
  if (chosen < 0) throw new Error(`${title}: no such plan was thought of: ${lookup.join()}`);
  const rounds = await untilSteady(
    async () => {
      const costs: Parts[] = [];
      for (const plan of plans)
        costs.push(await usedBy(cpu, 1, async () => agree(title, await select(expression, plan), count)));
      return costs;
    },
    (costs) => total(costs[chosen]!),
    { most: 3 },
  );
  const sum = (costs: readonly Parts[]): number => costs.map(total).reduce((a, b) => a + b, 0);
  const byPlan = plans.map((_, plan) => rounds.map((costs) => costs[plan]!));
  const best = byPlan.reduce((least, each) => (sum(each) < sum(least) ? each : least));
  planned.push({ title, chosen: byPlan[chosen]!, best });
}
await client.close();
const ready: Scans = {
  scan: scans.map(({ our }) => our),
  driver: scans.map(({ their }) => their),
  segments: planned,
};
console.log(JSON.stringify({ ready }));
