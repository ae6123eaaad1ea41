import { beforeEach, describe, expect, it } from '@jest/globals';
import { describeWithMongo } from '@tidings/testing';
import type { Db } from 'mongodb';
import { OwnedFields } from '../owned-fields.ts';
import type { StateWrite } from '../log-store.ts';
import { faulty } from './faulty.features.ts';
import { guarded } from './guards.ts';
import { MongoStates } from './states.ts';

const owned = new OwnedFields({ fields: { things: ['name', 'size'] } });

interface Stored {
  readonly _id: string;
  readonly group: string;
  readonly self: { readonly open: number };
}

describeWithMongo('states', (mongo) => {
  it.each([3, 10_001])('are all found, without their self-reports, among %i', async (amount) => {
    const documents = Array.from({ length: amount }, (_, i) => ({ _id: `id${i}`, group: 'g', self: { open: i } }));
    await mongo.db.collection<Stored>(`states${amount}`).insertMany(documents);
    const found = await new MongoStates(mongo.db, owned, 'self').find(`states${amount}`, 'group', ['g', 'other']);
    expect(found).toHaveLength(amount);
    expect(new Set(found.map(({ _id }) => _id)).size).toBe(amount);
    expect(found[0]).toEqual({ _id: 'id0', group: 'g' });
  });

  describe.each([
    ['guarded by its server', true],
    ['that nobody has made', false],
  ])('states in a collection %s', (_, isGuarded) => {
    interface Thing {
      readonly _id: string;
      readonly rev: number;
      readonly name?: string;
      readonly size?: number;
      readonly self?: { readonly open: number };
    }
    const first = { _id: 'a', rev: 1, name: 'one', size: 1 };
    let databases = 0;
    let db: Db;
    let states: MongoStates;
    let updates: number;

    const write = (position: number, fields: StateWrite['fields'], before?: StateWrite['before'], open?: number) =>
      states.write([
        {
          address: { collection: 'things', id: 'a' },
          log: 'l',
          position,
          fields,
          before,
          clears: false,
          bytes: 100,
          selfReports: open === undefined ? [] : [{ set: new Map([['open', open]]), max: new Map(), add: new Map() }],
        },
      ]);
    const stored = async () => {
      const { guard: _guard, ...thing } = (await db.collection<Thing & { guard?: number }>('things').findOne())!;
      return thing;
    };

    beforeEach(async () => {
      db = mongo.database(`patches${Number(isGuarded)}${++databases}`);
      if (isGuarded) await db.createCollection('things', guarded);
      const watched = faulty(db);
      updates = 0;
      watched.interfere((command, send) => {
        if ('update' in command) updates++;
        return send();
      });
      states = new MongoStates(watched.db, owned, 'self');
      expect(await write(1, { name: 'one', size: 1 }, undefined, 4)).toEqual([]);
    });

    it('set the changed fields of an unchanged document', async () => {
      expect(await write(5, { name: 'two', size: 1 }, first, 7)).toEqual([]);
      expect(await stored()).toEqual({ _id: 'a', rev: 5, name: 'two', size: 1, self: { open: 7 } });
      expect(await write(9, { name: 'two' }, { ...first, rev: 5, guard: 5 })).toEqual([]);
      expect(await stored()).toEqual({ _id: 'a', rev: 9, name: 'two', self: { open: 7 } });
      expect(updates).toBe(2);
    });

    it('preserve fields of other versions, unless nothing may remain', async () => {
      await db.collection('things').updateOne({}, { $set: { colour: 'red' } });
      const read = { ...first, colour: 'red' };
      expect(await write(5, { name: 'two' }, read)).toEqual([]);
      expect(await stored()).toEqual({ _id: 'a', rev: 5, name: 'two', colour: 'red', self: { open: 4 } });
      const address = { collection: 'things', id: 'a' };
      const erased = {
        address,
        log: 'l',
        position: 6,
        fields: { name: '' },
        clears: true,
        selfReports: [],
        bytes: 100,
      };
      expect(await states.write([{ ...erased, before: { ...read, rev: 5, guard: 5 } }])).toEqual([]);
      expect(await stored()).toEqual({ _id: 'a', rev: 6, name: '', self: { open: 4 } });
    });

    it('do not change a newer document', async () => {
      await write(7, { name: 'seven', size: 7 }, first);
      expect(await write(5, { name: 'five', size: 1 }, first)).toEqual([]);
      expect(await write(7, { name: 'again', size: 1 }, first)).toEqual([]);
      expect(await stored()).toEqual({ _id: 'a', rev: 7, name: 'seven', size: 7, self: { open: 4 } });
    });

    it('set all fields of a document that is older than expected', async () => {
      expect(await write(5, { name: 'five', size: 3 }, { ...first, rev: 3, size: 3 })).toEqual([]);
      expect(await stored()).toEqual({ _id: 'a', rev: 5, name: 'five', size: 3, self: { open: 4 } });
    });

    it('create a vanished document again', async () => {
      await db.collection('things').deleteMany({});
      expect(await write(5, { name: 'five', size: 1 }, first)).toEqual([]);
      expect(await stored()).toEqual({ _id: 'a', rev: 5, name: 'five', size: 1 });
    });

    it('write self-reports with all this', async () => {
      await write(5, { name: 'five', size: 1 }, first);
      expect(await write(6, undefined, undefined, 9)).toEqual([]);
      expect(await stored()).toEqual({ _id: 'a', rev: 5, name: 'five', size: 1, self: { open: 9 } });
    });
  });

  it('are patched by the index on _id alone if their server guards them', async () => {
    const db = mongo.database('planned');
    await db.createCollection('things', guarded);
    const watched = faulty(db);
    const queries: unknown[] = [];
    watched.interfere((command, send) => {
      for (const { q } of (command['updates'] ?? []) as { readonly q: unknown }[]) queries.push(q);
      return send();
    });
    const states = new MongoStates(watched.db, owned, undefined);
    const rest = { address: { collection: 'things', id: 'a' }, log: 'l', clears: false, selfReports: [], bytes: 100 };
    await states.write([{ ...rest, position: 1, fields: { name: 'one' }, before: undefined }]);
    await states.write([{ ...rest, position: 2, fields: { name: 'two' }, before: { _id: 'a', rev: 1, name: 'one' } }]);
    expect(queries).toEqual([{ _id: 'a' }]);
  });
});
