import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeWithMongo, LONG_TIMEOUT, until } from '@tidings/testing';
import type { Db, Document } from 'mongodb';
import type { CountingLogWriter } from '../log-options.ts';
import { type NewerCommand, newerThings, paletteAt } from '../newer-things.features.ts';
import type { DocumentAddress } from '../event-log-port.ts';
import type { Problem } from '../problems.ts';
import { openRelay, type Relay } from '../relay/open-relay.ts';
import { thingAt, type ThingCommand, type ThingEvent, type ThingReply, things } from '../things.features.ts';
import { faulty } from './faulty.features.ts';
import { guarded } from './guards.ts';
import { openCommits } from './open-commits.ts';
import { openLogs } from './open-logs.ts';

const LOG = 'things-1';
const add = (id: string, key: string): ThingCommand => ({ kind: 'add', id, key, by: 1 });
const paint = (id: string, colour: string): NewerCommand => ({ kind: 'paint', id, colour });

describeWithMongo('two versions on the same logs', (mongo) => {
  let databases = 0;
  let db: Db;
  let problems: Problem[];
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(one: T): T => {
    opened.push(one);
    return one;
  };
  const onProblem = (problem: Problem): void => void problems.push(problem);
  const older = (on = db): CountingLogWriter<ThingCommand, ThingReply> =>
    keep(openLogs(on, things, { ...LONG_TIMEOUT, onProblem, applyEveryMs: 50 }));
  const newer = (on = db): CountingLogWriter<NewerCommand, ThingReply> =>
    keep(openLogs(on, newerThings, { ...LONG_TIMEOUT, applyEveryMs: 50 }));
  const document = ({ collection, id }: DocumentAddress): Promise<Document | null> =>
    db.collection<Document & { _id: string }>(collection).findOne({ _id: id });
  const quarantined = (): Promise<number> => db.collection('things.quarantine').countDocuments();

  async function dieAfter(command: NewerCommand): Promise<void> {
    const bad = faulty(db);
    const dying = openLogs(bad.db, newerThings, { answerWithinMs: 3000, applyEveryMs: 3_600_000 });
    bad.interfere(async (sent, send) => {
      const isState = ['things', 'palettes'].includes((sent['insert'] ?? sent['update']) as string);
      if (isState) bad.die();
      return bad.alive(send);
    });
    await expect(dying.submit(LOG, command)).rejects.toMatchObject({ kind: 'unavailable' });
    await bad.gone;
    await dying.close();
  }

  beforeEach(async () => {
    db = mongo.database(`versions${++databases}`);
    problems = [];
    await db.createCollection('things', guarded);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  describe('an event of a kind that the older version does not have', () => {
    it('blocks its documents, and no others, until the newer version applies it', async () => {
      const old = older();
      await old.submit(LOG, add('a', '1'));
      await dieAfter(paint('a', 'red'));
      await until(async () => (await quarantined()) === 2);
      await expect(old.submit(LOG, add('a', '2'))).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(old.submit(LOG, add('b', '1'))).resolves.toEqual({ count: 1 });
      expect(await document(thingAt('a'))).toMatchObject({ count: 1, rev: 1 });
      expect(problems.map(({ kind, address }) => [kind, address?.id]).sort()).toEqual([
        ['quarantined', 'a'],
        ['quarantined', 'red'],
      ]);
      expect(old.counts.quarantined).toBe(2);

      const young = newer();
      await until(async () => (await quarantined()) === 0);
      expect(await document(thingAt('a'))).toMatchObject({ count: 1, colour: 'red', keys: ['1'] });
      expect(await document(paletteAt('red'))).toMatchObject({ count: 1 });
      await until(() => old.counts.quarantined === 0);
      await expect(old.submit(LOG, add('a', '2'))).resolves.toEqual({ count: 2 });
      await expect(young.submit(LOG, paint('a', 'blue'))).resolves.toEqual({ count: 0 });
    });

    it('is reported once by a process, however often it is read', async () => {
      await dieAfter(paint('a', 'red'));
      const old = older();
      await until(async () => (await quarantined()) === 2);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(problems).toHaveLength(2);
      await expect(old.submit(LOG, add('a', '1'))).rejects.toMatchObject({ kind: 'unavailable' });
    });

    it('is applied by a process of the newer version that was running before', async () => {
      const [old, young] = [older(), newer()];
      await young.submit(LOG, add('b', '1'));
      for (let i = 0; i < 30; i++) {
        // Each meets the other's commits as conflicts, before or after their states.
        await Promise.allSettled([
          old.submit(LOG, add('b', `o${i}`)),
          young.submit(LOG, paint(`p${i % 3}`, 'red')),
          young.submit(LOG, add(`p${i % 3}`, `${i}`)),
        ]);
      }
      await until(async () => (await quarantined()) === 0);
      const painted = (await db.collection('things.commits').find().toArray()).flatMap(({ events }) =>
        (events as { buffer: Uint8Array }[]).filter((event) => Buffer.from(event.buffer).includes('painted')),
      );
      expect(painted.length).toBeGreaterThan(0);
      expect(await document(paletteAt('red'))).toMatchObject({ count: painted.length });
      expect(await document(thingAt('b'))).toMatchObject({ count: 31 });
    });

    it('ends reading of the log, before its commit', async () => {
      await older().submit(LOG, add('a', '1'));
      await newer().submit(LOG, paint('a', 'red'));
      const blocked: Error[] = [];
      const reader = openCommits<ThingEvent>(db, things, { onBlocked: (error) => blocked.push(error) });
      for (let i = 0; i < 2; i++) expect((await reader.after(LOG, 0, 10)).map(({ position }) => position)).toEqual([1]);
      expect(blocked).toHaveLength(1);
      expect((await openCommits(db, newerThings).after(LOG, 0, 10)).map(({ position }) => position)).toEqual([1, 2]);
    });

    it('is left to the newer version by the relay of the older one, which continues with other logs', async () => {
      const published: string[] = [];
      const broker = {
        publish: (_: string, records: readonly { readonly value: Uint8Array }[]) => {
          published.push(...records.map(({ value }) => Buffer.from(value).toString()));
          return Promise.resolve();
        },
      };
      const problems: unknown[] = [];
      const relay = async (version: typeof things | typeof newerThings): Promise<Relay<ThingEvent>> =>
        keep(
          await openRelay<ThingEvent>({
            db,
            broker,
            category: 'things',
            checkEveryMs: 50,
            decode: (bytes) => version.decode(bytes) as ThingEvent,
            isKnown: (event) => version.isKnown(event),
            publish: ({ log, position, events }) =>
              events.map(({ kind }) => ({
                topic: 'things',
                key: log,
                value: Buffer.from(`${log} ${position} ${kind}`),
              })),
            onProblem: (error) => problems.push(error),
          }),
        );
      const old = await relay(things);
      const young = newer();
      await young.submit(LOG, add('a', '1'));
      await young.submit(LOG, paint('a', 'red'));
      await young.submit(LOG, add('a', '2'));
      await young.submit('things-2', add('b', '1'));
      await until(() => old.blockedLogs() === 1 && published.length === 2);
      expect(published.sort()).toEqual(['things-1 1 added', 'things-2 1 added']);
      expect(problems).toHaveLength(1);
      expect(await old.caughtUp()).toBe(false);

      await relay(newerThings);
      await until(() => published.length >= 4);
      expect([...new Set(published)].slice(2)).toEqual(['things-1 2 painted', 'things-1 3 added']);
    });
  });

  describe('a field that the older version does not have', () => {
    it.each(['first', 'last'])(
      'stays when the older version writes %s, whatever fields of its own it removes',
      async (turn) => {
        const [old, young] = [older(), newer()];
        if (turn === 'first') await old.submit(LOG, { kind: 'name', id: 'a', name: 'one' });
        await young.submit(LOG, paint('a', 'red'));
        await old.submit(LOG, { kind: 'name', id: 'a', name: 'two' });
        await old.submit(LOG, add('a', '1'));
        await old.submit(LOG, { kind: 'name', id: 'a', name: undefined });
        const { guard: _, ...stored } = (await document(thingAt('a')))!;
        expect(stored).toMatchObject({ count: 1, keys: ['1'], colour: 'red' });
        expect(stored).not.toHaveProperty('name');
        await young.submit(LOG, { kind: 'name', id: 'a', name: 'three' });
        await old.submit(LOG, add('a', '2'));
        expect(await document(thingAt('a'))).toMatchObject({ count: 2, colour: 'red', name: 'three' });
      },
    );

    it('stays when both versions write concurrently, and neither loses a command', async () => {
      const [old, young] = [older(), newer()];
      await young.submit(LOG, paint('a', 'red'));
      const unavailable = { kind: 'unavailable' };
      const persist = async (submit: () => Promise<unknown>): Promise<void> => {
        for (;;) {
          const refused: unknown = await submit().then(
            () => undefined,
            (fault: unknown) => fault,
          );
          if (refused === undefined) return;
          expect(refused).toMatchObject(unavailable);
        }
      };
      for (let i = 0; i < 20; i++) {
        await Promise.all([
          persist(() => old.submit(LOG, add('a', `o${i}`))),
          persist(() => young.submit(LOG, add('a', `y${i}`))),
          persist(() => young.submit(LOG, paint('a', `c${i}`))),
        ]);
      }
      expect(await document(thingAt('a'))).toMatchObject({ count: 40, colour: 'c19' });
    });
  });
});
