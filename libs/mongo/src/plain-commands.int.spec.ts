import { expect, it } from '@jest/globals';
import { describeWithMongo } from '@tidings/testing';
import { type Db, MongoNetworkError } from 'mongodb';
import { DUPLICATE_KEY } from './duplicate-key.ts';
import { findAll, tryUpdates, type Update, updateAll } from './plain-commands.ts';

interface Counter {
  readonly _id: string;
  readonly count?: number;
  readonly bytes?: Uint8Array;
}

const COUNTERS = 'counters';
const counted = (_id: string, count: number): Update<Counter> => ({ q: { _id }, u: { $set: { count } }, upsert: true });

const conflict = (_id: string): Update<Counter> => ({ q: { _id, count: -1 }, u: { $set: { count: 0 } }, upsert: true });

describeWithMongo('plain commands', (mongo) => {
  const counters = () => mongo.db.collection<Counter>(COUNTERS);

  it('write all valid documents, over several commands, and name the refused ones', async () => {
    const many = Array.from({ length: 1100 }, (_, i) => counted(`many ${i}`, i));
    await updateAll<Counter>(mongo.db, COUNTERS, [many[3]!, many[1050]!]);
    const updates = many.map((update, i) => (i === 3 || i === 1050 ? conflict(`many ${i}`) : update));
    const { matched, refused } = await tryUpdates<Counter>(mongo.db, COUNTERS, updates);
    expect([matched, refused.map(({ index }) => index)]).toEqual([1098, [3, 1050]]);
    expect(await counters().countDocuments({ _id: /^many/ })).toBe(1100);
  });

  it('end with the first refused one if they are ordered', async () => {
    await updateAll<Counter>(mongo.db, COUNTERS, [counted('first', 1)]);
    const updates = [counted('second', 2), conflict('first'), counted('third', 3)];
    const failed = updateAll<Counter>(mongo.db, COUNTERS, updates, { ordered: true });
    await expect(failed).rejects.toMatchObject({ code: DUPLICATE_KEY });
    const found = await findAll<Counter>(mongo.db, COUNTERS, { _id: { $in: ['second', 'third'] } });
    expect(found).toEqual([{ _id: 'second', count: 2 }]);
  });

  it('refuse nothing on a full disk, also beside documents that the server refuses', async () => {
    const full = { index: 1, code: 8, errmsg: '28: No space left on device' };
    let times = 0;
    const db = new Proxy(mongo.db, {
      get(target, property) {
        const answer = { ok: 1, n: 0, writeErrors: [{ index: 0, code: DUPLICATE_KEY, errmsg: 'E11000' }, full] };
        if (property === 'command') return () => (times++, Promise.resolve(answer));
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
      },
    });
    const writing = tryUpdates<Counter>(db, COUNTERS, [counted('full', 1), counted('full 2', 1)]);
    await expect(writing).rejects.toMatchObject({ code: 8 });
    expect(times).toBe(2);
  });

  it('are repeated once after a lost connection', async () => {
    let lost = 1;
    const db = {
      async command(...args: Parameters<Db['command']>) {
        const answer = await mongo.db.command(...args);
        if (lost-- > 0) throw new MongoNetworkError('connection lost');
        return answer;
      },
    } as Db;
    expect(await updateAll<Counter>(db, COUNTERS, [counted('repeated', 1)])).toBe(1);
    lost = 2;
    await expect(updateAll<Counter>(db, COUNTERS, [counted('repeated', 2)])).rejects.toThrow('connection lost');
  });

  it('read more than one answer can contain', async () => {
    const bytes = Buffer.alloc(6 << 20);
    const ids = ['large 1', 'large 2', 'large 3'];
    const updates = ids.map((_id): Update<Counter> => ({ q: { _id }, u: { $set: { bytes } }, upsert: true }));
    expect(await updateAll<Counter>(mongo.db, COUNTERS, updates)).toBe(3);
    const found = await findAll<Counter>(mongo.db, COUNTERS, { _id: { $in: ids } }, { promoteBuffers: true });
    expect(found.map(({ _id, bytes }) => [_id, Buffer.isBuffer(bytes) && bytes.length])).toEqual(
      ids.map((id) => [id, 6 << 20]),
    );
  });
});
