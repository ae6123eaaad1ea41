import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { describeWithMongo } from '@tidings/testing';
import { Binary, Long, MongoClient } from 'mongodb';
import { mongoOptions } from '../mongo-options.ts';
import { createCollections } from './create-collections.ts';
import { bytes, date, flag, list, mixed, number, object, oneOf, optional, pairs, record, text } from './fields.ts';
import { collectionOf, defineModel, modelOf } from './model.ts';
import { invalidDocuments } from './validate.ts';

interface Part {
  readonly type: string;
  readonly counts?: readonly number[];
}

interface Entry {
  readonly n: number;
  readonly set?: Uint8Array;
}

interface Thing {
  readonly _id: { readonly log: string; readonly n: number };
  readonly name: string;
  readonly kind: 'a' | 'b';
  readonly count: number;
  readonly at: Date;
  readonly isDone: boolean;
  readonly body: Uint8Array | Binary;
  readonly parts: readonly Part[];
  readonly hours: readonly (readonly [number, Uint8Array])[];
  readonly byKey: Readonly<Record<string, Entry>>;
  readonly more?: unknown;
}

const things = defineModel<Thing>({
  name: 'things',
  retention: 'for ever',
  fields: {
    _id: object<Thing['_id']>({ log: text, n: number }),
    name: text,
    kind: oneOf('a', 'b'),
    count: number,
    at: date,
    isDone: flag,
    body: bytes,
    parts: list(object<Part>({ type: text, counts: optional(list(number)) })),
    hours: pairs('number'),
    byKey: record(object<Entry>({ n: number, set: optional(bytes) })),
    more: optional(mixed),
  },
  indexes: [
    { name: 'name', key: { name: 1, at: -1 } },
    { name: 'open', key: { at: 1 }, partialFilterExpression: { isDone: false } },
    { name: 'until', key: { more: 1 }, expireAfterSeconds: 0 },
  ],
});

const thing = {
  _id: { log: 'a', n: 1 },
  name: '',
  kind: 'a',
  count: 1,
  at: new Date(0),
  isDone: false,
  body: Buffer.alloc(0),
  parts: [{ type: '' }, { type: 'x', counts: [] }],
  hours: [[1, Buffer.of(1)]],
  byKey: { 'A-B/1': { n: 1, set: Buffer.of(1) } },
} satisfies Record<string, unknown>;

const valid: readonly object[] = [
  {},
  { more: { any: [1, 'x'] } },
  { parts: [], hours: [], byKey: {} },
  { body: new Binary(Buffer.of(1)) },
];

const invalid: readonly (readonly [path: string, over: object])[] = [
  ['name', { name: 5 }],
  ['name', { name: null }],
  ['name', { name: undefined }],
  ['kind', { kind: 'c' }],
  ['count', { count: '1' }],
  ['count', { count: Long.MAX_VALUE }],
  ['at', { at: 0 }],
  ['isDone', { isDone: 1 }],
  ['body', { body: 'bytes' }],
  ['parts', { parts: {} }],
  ['parts.0.type', { parts: [{ type: 1 }] }],
  ['parts', { parts: [{ type: 'x', unknown: 1 }] }],
  ['hours', { hours: [['1', Buffer.of(1)]] }],
  ['byKey.a.n', { byKey: { a: { n: 'x' } } }],
  ['byKey.a', { byKey: { a: { n: 1, unknown: 1 } } }],
  ['unknown', { unknown: 1 }],
  ['_id', { _id: { log: 'a', n: 1, unknown: 1 } }],
];

describeWithMongo('models', (mongo) => {
  it('create their collections and indexes, in several processes at once and again', async () => {
    const { db } = mongo;
    const guarded = { ...things, name: 'guarded', options: { validator: { count: { $gt: 0 } } } };
    await Promise.all([createCollections(db, [things, guarded]), createCollections(db, [things, guarded])]);
    await createCollections(db, [things, guarded]);
    const found = await db.collection('things').listIndexes().toArray();
    expect(found.map(({ name }) => name as string)).toEqual(['_id_', 'name', 'open', 'until']);
    expect(found[1]).toMatchObject({ key: { name: 1, at: -1 } });
    expect(found[1]).not.toHaveProperty('background');
    expect(found[2]).toMatchObject({ partialFilterExpression: { isDone: false } });
    expect(found[3]).toMatchObject({ expireAfterSeconds: 0 });
    const [created] = await db.listCollections({ name: 'guarded' }).toArray();
    expect(created).toMatchObject({ options: { validator: { count: { $gt: 0 } } } });
  });

  it('wait for an index build that lasts longer than the socket timeout', async () => {
    const db = mongo.database('large');
    await db.collection('things').insertOne({ name: '' });
    // A build needs the collection alone, and so waits for a reader.
    const reading = db.collection('things').find({ $where: 'sleep(6000) || true' }).toArray();
    await delay(300);
    const client = await MongoClient.connect(mongo.url, { ...mongoOptions, socketTimeoutMS: 1_500 });
    try {
      await createCollections(client.db(db.databaseName), [things]);
    } finally {
      await client.close();
    }
    expect(await reading).toHaveLength(1);
    const built = await db.collection('things').indexes();
    expect(built.map(({ name }) => name)).toEqual(['_id_', 'name', 'open', 'until']);
  });

  it('read documents of the driver, and write documents that the driver reads', async () => {
    const model = modelOf(mongo.db, things);
    const native = collectionOf(mongo.db, things);
    await native.deleteMany({});
    await model.create({ ...thing, count: 7, body: Buffer.of(1, 2) });
    await expect(model.create({ ...thing, body: Uint8Array.of(1, 2) })).rejects.toThrow('Cast to Buffer failed');
    expect((await native.findOne({}, { promoteBuffers: true }))!.body).toEqual(Buffer.of(1, 2));
    expect(await native.findOne()).toEqual({
      ...thing,
      count: 7,
      body: expect.anything(),
      hours: expect.anything(),
      byKey: expect.anything(),
    });
    expect(await model.findOne({ count: 7 }, { name: 1, parts: 1 }).lean()).toEqual({
      _id: thing._id,
      name: '',
      parts: thing.parts,
    });
  });

  it('refuse unknown fields, and values of other types', async () => {
    const model = modelOf(mongo.db, things);
    await expect(model.find({ unknown: 1 } as object).lean()).rejects.toThrow('unknown');
    await expect(model.find({ count: '7' } as object).lean()).rejects.toThrow('count');
    await expect(model.updateOne({ count: 7 }, { $set: { unknown: 1 } } as object)).rejects.toThrow('unknown');
    await expect(model.create({ ...thing, name: 5 } as never)).rejects.toThrow('name');
  });

  describe('validation of stored documents', () => {
    const stored = async (over: object): Promise<string[]> => {
      const native = mongo.db.collection('things');
      await native.deleteMany({});
      await native.insertOne({ ...thing, ...over } as object);
      return invalidDocuments(mongo.db, [things, { ...things, name: 'guarded' }]);
    };

    it.each(valid)('accepts %j', async (over) => {
      expect(await stored(over)).toEqual([]);
    });

    it.each(invalid)('names the path %s in %j', async (path, over) => {
      const [line, ...others] = await stored(over);
      expect(others).toEqual([]);
      expect(line).toContain(`${mongo.db.databaseName}.things {"log":"a","n":1`);
      expect(line).toMatch(new RegExp(`(^|\\W)${path.replaceAll('.', '\\.')}\\W`));
    });

    it('names a collection that has no model', async () => {
      await stored({});
      expect(await invalidDocuments(mongo.db, [things])).toEqual([`${mongo.db.databaseName}.guarded: no model`]);
    });
  });
});
