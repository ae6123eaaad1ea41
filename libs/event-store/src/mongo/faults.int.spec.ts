import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeWithMongo, LONG_TIMEOUT, until } from '@tidings/testing';
import { type Db, type Document, MongoServerError } from 'mongodb';
import type { CountingLogWriter } from '../log-options.ts';
import type { MongoLogsOptions } from './open-logs.ts';
import type { Problem } from '../problems.ts';
import {
  type Thing,
  thingAt,
  type ThingCommand,
  type ThingEvent,
  type ThingReply,
  things,
} from '../things.features.ts';
import type { CommitDocument } from './commits.ts';
import { faulty, type FaultyDb, lost } from './faulty.features.ts';
import { openLogs } from './open-logs.ts';

type Writer = CountingLogWriter<ThingCommand, ThingReply>;
type Stored = Thing & { readonly _id: string; readonly rev: number };

const LOG = 'things-1';
const A = 'a';
const B = 'b';
/** Enough for the preceding commands if the collections exist. */
const HASTY = { answerWithinMs: 3000 };
const add = (id: string, key: string): ThingCommand => ({ kind: 'add', id, key, by: 1 });

const isCommit = (command: Document): boolean => command['insert'] === 'things.commits';
const isState = (command: Document): boolean => command['insert'] === 'things' || command['update'] === 'things';

describeWithMongo('openLogs with faults', (mongo) => {
  let databases = 0;
  let db: Db;
  let bad: FaultyDb;
  const opened: Writer[] = [];

  const open = (on: Db, options: MongoLogsOptions<ThingEvent> = {}): Writer => {
    const writer = openLogs(on, things, { ...LONG_TIMEOUT, ...options });
    opened.push(writer);
    return writer;
  };
  /** Creating the collections takes longer than all the following. */
  const prepare = async (): Promise<void> => {
    const first = openLogs(db, things, LONG_TIMEOUT);
    await first.submit('things-0', add('prepared', '1'));
    await first.close();
  };
  const thing = (id: string): Promise<Stored | null> => db.collection<Stored>('things').findOne({ _id: id });
  const commits = (): Promise<CommitDocument[]> =>
    db.collection<CommitDocument>('things.commits').find({ '_id.log': LOG }).sort({ _id: 1 }).toArray();

  beforeEach(() => {
    db = mongo.database(`faults${++databases}`);
    bad = faulty(db);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((writer) => writer.close()));
  });

  describe('a process that dies', () => {
    it('leaves them to the next one between commit and states, which applies them within a second', async () => {
      await prepare();
      const dying = open(bad.db, HASTY);
      await dying.submit(LOG, add(A, '1'));
      bad.interfere(async (command, send) => {
        if (isState(command)) bad.die();
        return bad.alive(send);
      });
      await expect(dying.submit(LOG, add(A, '2'))).rejects.toMatchObject({ kind: 'unavailable' });
      await bad.gone;
      expect(await thing(A)).toMatchObject({ count: 1 });

      const successor = open(db);
      await until(async () => (await thing(A))?.count === 2);
      await expect(successor.submit(LOG, add(A, '2'))).resolves.toEqual({ count: 2, repeated: true });
    });

    it('is succeeded by a writer that was running before', async () => {
      await prepare();
      const dying = open(bad.db, HASTY);
      const other = open(db, { applyEveryMs: 50 });
      await other.applyCommits();
      bad.interfere(async (command, send) => {
        if (isState(command)) bad.die();
        return bad.alive(send);
      });
      await expect(dying.submit(LOG, add(A, '1'))).rejects.toMatchObject({ kind: 'unavailable' });
      await until(async () => (await thing(A))?.count === 1);
      expect(other.counts.applied).toBe(1);
    });

    it('leaves the other states to the next one amid the states', async () => {
      await prepare();
      const dying = open(bad.db, HASTY);
      await dying.submit(LOG, add(A, '1'));
      bad.interfere(async (command, send) => {
        // A is updated, B inserted: only one of the two commands gets through.
        if (command['update'] === 'things') bad.die();
        return bad.alive(send);
      });
      const both = [dying.submit(LOG, add(B, '2')), dying.submit(LOG, add(A, '3'))];
      await Promise.all(both.map((one) => expect(one).rejects.toMatchObject({ kind: 'unavailable' })));
      await bad.gone;
      const successor = open(db);
      await successor.applyCommits();
      expect(await thing(A)).toMatchObject({ count: 2, rev: 2 });
      expect(await thing(B)).toMatchObject({ count: 1, rev: 2 });
    });

    it('is succeeded before the first command, which is decided after it', async () => {
      await prepare();
      const dying = open(bad.db, HASTY);
      bad.interfere(async (command, send) => {
        if (isState(command)) bad.die();
        return bad.alive(send);
      });
      await expect(dying.submit(LOG, add(A, '1'))).rejects.toMatchObject({ kind: 'unavailable' });
      await bad.gone;
      await expect(open(db).submit(LOG, add(A, '2'))).resolves.toEqual({ count: 2 });
    });
  });

  describe('an insert without an answer', () => {
    it('may have succeeded, and then its uid identifies it', async () => {
      const writer = open(bad.db);
      let times = 0;
      bad.interfere(async (command, send) => {
        const answer = await send();
        if (isCommit(command) && times++ === 0) throw lost();
        return answer;
      });
      await expect(writer.submit(LOG, add(A, '1'))).resolves.toEqual({ count: 1 });
      expect(writer.counts).toMatchObject({ unknownOutcomes: 1, conflicts: 0 });
      expect(await commits()).toHaveLength(1);
    });

    it('may arrive late, after it was repeated', async () => {
      const writer = open(bad.db);
      let late: (() => Promise<Document>) | undefined;
      bad.interfere(async (command, send) => {
        if (!isCommit(command) || late) return send();
        late = send;
        throw lost();
      });
      await expect(writer.submit(LOG, add(A, '1'))).resolves.toEqual({ count: 1 });
      expect(await late!()).toMatchObject({ writeErrors: [{ code: 11000 }] });
      await expect(writer.submit(LOG, add(A, '2'))).resolves.toEqual({ count: 2 });
      expect((await commits()).map(({ events }) => events.length)).toEqual([1, 1]);
    });

    it('may arrive during its repetition', async () => {
      const writer = open(bad.db);
      let late: (() => Promise<Document>) | undefined;
      bad.interfere(async (command, send) => {
        if (!isCommit(command)) return send();
        if (late) {
          await late();
          return send();
        }
        late = send;
        throw lost();
      });
      await expect(writer.submit(LOG, add(A, '1'))).resolves.toEqual({ count: 1 });
      expect(writer.counts.conflicts).toBe(0);
      expect(await commits()).toHaveLength(1);
    });

    it('never takes effect after its command was answered unavailable', async () => {
      await prepare();
      const writer = open(bad.db, HASTY);
      let late: (() => Promise<Document>) | undefined;
      let down = true;
      bad.interfere(async (command, send) => {
        if (!isCommit(command) || !down) return send();
        late ??= send;
        throw lost();
      });
      const first = writer.submit(LOG, add(A, '1'));
      const second = writer.submit('things-2', add(B, '1'));
      await expect(first).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(second).rejects.toMatchObject({ kind: 'unavailable' });
      // The log is closed until the owner of the position is known.
      await expect(writer.submit(LOG, add(A, '2'))).rejects.toMatchObject({ kind: 'unavailable' });
      down = false;
      await until(() =>
        writer.submit(LOG, add(A, '3')).then(
          () => true,
          () => false,
        ),
      );
      expect(await late!()).toMatchObject({ writeErrors: expect.anything() });
      expect(await thing(A)).toMatchObject({ count: 1, keys: ['3'] });
      expect(await thing(B)).toBeNull();
      expect(await commits()).toMatchObject([
        { _id: { position: 1 }, events: [] },
        { _id: { position: 2 }, events: [expect.anything()] },
      ]);
    });

    it('takes effect if it had succeeded before its command was answered unavailable', async () => {
      await prepare();
      const writer = open(bad.db, HASTY);
      let down = true;
      bad.interfere(async (command, send) => {
        if (!isCommit(command) || !down) return send();
        await send();
        throw lost();
      });
      await expect(writer.submit(LOG, add(A, '1'))).rejects.toMatchObject({ kind: 'unavailable' });
      down = false;
      await until(async () => (await thing(A))?.count === 1);
      await expect(writer.submit(LOG, add(A, '2'))).resolves.toEqual({ count: 2 });
      expect(await commits()).toHaveLength(2);
    });

    it('does not prevent answers to the younger commands of a group', async () => {
      await prepare();
      const writer = open(bad.db, { answerWithinMs: 4000 });
      await writer.submit(LOG, add(A, '1'));
      let release = (): void => undefined;
      let blocked = new Promise<void>((resolve) => (release = resolve));
      let down = true;
      bad.interfere(async (command, send) => {
        if (!isCommit(command) || !down) return send();
        await blocked;
        const answer = await send();
        if ((command['documents'] as CommitDocument[]).some(({ _id }) => _id.position === 3)) throw lost();
        return answer;
      });
      const first = writer.submit(LOG, add(A, '2'));
      await until(() => writer.counts.groups === 2);
      const older = writer.submit(LOG, add(A, '3'));
      const submitted = performance.now();
      await until(() => performance.now() - submitted > 2000);
      const younger = writer.submit(LOG, { kind: 'add', id: A, key: '4', by: 1, blind: true });
      release();
      await expect(first).resolves.toEqual({ count: 2 });
      await expect(older).rejects.toMatchObject({ kind: 'unavailable' });
      down = false;
      blocked = Promise.resolve();
      await expect(younger).resolves.toEqual({ count: 4 });
      expect(await thing(A)).toMatchObject({ keys: ['1', '2', '3', '4'] });
    });

    it('may have lost to another writer', async () => {
      const writer = open(bad.db);
      await writer.submit(LOG, add(A, '1'));
      let times = 0;
      bad.interfere(async (command, send) => {
        if (!isCommit(command) || times++ > 0) return send();
        await open(db).submit(LOG, add(A, '2'));
        throw lost();
      });
      await expect(writer.submit(LOG, add(A, '3'))).resolves.toEqual({ count: 3 });
      expect(writer.counts).toMatchObject({ unknownOutcomes: 1, conflicts: 1 });
    });

    it('may be majority-acknowledged late: a write concern error is not an answer', async () => {
      const writer = open(bad.db);
      let times = 0;
      bad.interfere(async (command, send) => {
        const answer = await send();
        if (!isCommit(command) || times++ > 0) return answer;
        throw new MongoServerError({ code: 64, errmsg: 'waiting for replication timed out' });
      });
      await expect(writer.submit(LOG, add(A, '1'))).resolves.toEqual({ count: 1 });
      expect(writer.counts).toMatchObject({ unknownOutcomes: 1, conflicts: 0 });
    });
  });

  it('repeats states without an answer, self-reports included', async () => {
    const writer = open(bad.db);
    let times = 0;
    bad.interfere(async (command, send) => {
      if (!isState(command)) return send();
      if (times++ === 0) throw lost();
      const answer = await send();
      if (times === 2) throw lost();
      return answer;
    });
    const replies = await Promise.all([
      writer.submit(LOG, add(A, '1')),
      writer.submit(LOG, { kind: 'selfReport', id: A, set: { badge: 4 } }),
    ]);
    expect(replies).toEqual([{ count: 1 }, { count: 1 }]);
    expect(await thing(A)).toMatchObject({ count: 1, self: { badge: 4 } });
  });

  it('writes self-reports on a state that another writer has applied meanwhile', async () => {
    const writer = open(bad.db);
    let times = 0;
    bad.interfere(async (command, send) => {
      if (isState(command) && times++ === 0) await open(db).applyCommits();
      return send();
    });
    await Promise.all([
      writer.submit(LOG, add(A, '1')),
      writer.submit(LOG, { kind: 'selfReport', id: A, set: { badge: 4 } }),
    ]);
    expect(await thing(A)).toMatchObject({ count: 1, rev: 1, self: { badge: 4 } });
  });

  it('waits for a store that does not answer at first', async () => {
    const writer = open(bad.db);
    let times = 0;
    bad.interfere(async (command, send) => {
      if (command['insert'] === 'things.heads' && times++ < 3) throw lost();
      return send();
    });
    await expect(writer.submit(LOG, add(A, '1'))).resolves.toEqual({ count: 1 });
  });

  describe('a command that cannot be stored', () => {
    const poisoned = (document: Document): boolean =>
      (document['events'] as Uint8Array[]).some((event) => Buffer.from(event).includes('poison'));
    const refusal = new MongoServerError({ code: 2, errmsg: 'no such thing' });

    it.each([
      [
        'as a whole',
        async (command: Document, send: () => Promise<Document>) => {
          if (isCommit(command) && (command['documents'] as Document[]).some(poisoned)) throw refusal;
          return send();
        },
      ],
      [
        'document by document',
        async (command: Document, send: () => Promise<Document>) => {
          if (!isCommit(command)) return send();
          const documents = command['documents'] as Document[];
          const good = documents.filter((document) => !poisoned(document));
          if (good.length > 0) await db.command({ ...command, documents: good });
          const writeErrors = documents
            .map((document, index) => ({ index, code: 2, errmsg: 'no', bad: poisoned(document) }))
            .filter((error) => error.bad);
          return { ok: 1, writeErrors };
        },
      ],
    ])('is found when the store refuses its commit %s', async (_, interference) => {
      const writer = open(bad.db);
      bad.interfere(interference);
      const keys = Array.from({ length: 30 }, (_unused, i) => (i === 17 ? 'poison' : `${i}`));
      const replies = await Promise.allSettled([
        ...keys.map((key) => writer.submit(LOG, add(A, key))),
        ...keys.map((key) => writer.submit('things-2', add(B, key === 'poison' ? 'fine' : key))),
      ]);
      expect(replies.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: { kind: 'bug' } }]);
      expect(await thing(A)).toMatchObject({ count: 29, keys: keys.filter((key) => key !== 'poison') });
      expect(await thing(B)).toMatchObject({ count: 30 });
      await writer.submit(LOG, add(A, 'after'));
    });

    it('is refused before its commit if an index would refuse its state on MongoDB 4.0', async () => {
      await db.collection('things').createIndex({ name: 1, count: 1 });
      const writer = open(db);
      const replies = await Promise.allSettled([
        writer.submit(LOG, add(A, '1')),
        writer.submit(LOG, { kind: 'name', id: A, name: 'ü'.repeat(600) }),
        writer.submit(LOG, { kind: 'name', id: B, name: 'ü'.repeat(400) }),
      ]);
      expect(replies).toMatchObject([{ value: { count: 1 } }, { reason: { kind: 'bug' } }, { value: {} }]);
      expect(await thing(A)).not.toHaveProperty('name');
      expect(await thing(B)).toMatchObject({ name: 'ü'.repeat(400) });
    });

    it('quarantines one document when its state is refused after its commit, and blocks nothing else', async () => {
      await db.createCollection('things', { validator: { name: { $ne: 'poison' } } });
      const problems: Problem[] = [];
      const writer = open(db, { onProblem: (problem) => problems.push(problem) });
      await writer.submit(LOG, add(A, '1'));
      const [poisoned, other] = await Promise.allSettled([
        writer.submit(LOG, { kind: 'name', id: A, name: 'poison' }),
        writer.submit(LOG, add(B, '1')),
      ]);
      expect(poisoned).toMatchObject({ reason: { kind: 'bug' } });
      expect(other).toMatchObject({ value: { count: 1 } });
      expect(problems).toMatchObject([{ kind: 'quarantined', address: thingAt(A), log: LOG, position: 2 }]);
      expect(await thing(B)).toMatchObject({ count: 1 });
      await expect(writer.submit(LOG, add(A, '2'))).rejects.toMatchObject({ kind: 'bug' });
      await expect(writer.submit(LOG, add(B, '2'))).resolves.toEqual({ count: 2 });
      await writer.close();

      const restarted = open(db);
      await restarted.applyCommits();
      await until(() =>
        restarted.submit(LOG, add(A, '2')).then(
          () => false,
          ({ kind }) => kind === 'bug',
        ),
      );
      await restarted.close();

      await db.command({ collMod: 'things', validator: {} });
      const recovered = open(db);
      await until(() =>
        recovered.submit(LOG, add(A, '3')).then(
          () => true,
          () => false,
        ),
      );
      expect(await thing(A)).toMatchObject({ count: 2, name: 'poison', keys: ['1', '3'] });
      expect(await db.collection('things.quarantine').countDocuments()).toBe(0);
    });
  });

  describe('a full disk', () => {
    const full = { code: 8, errmsg: '28: No space left on device' };
    const refusedAll = (documents: readonly unknown[]): Document => ({
      ok: 1,
      n: 0,
      writeErrors: documents.map((_, index) => ({ index, ...full })),
    });
    const refuse = (command: Document): Document =>
      refusedAll((command['documents'] ?? command['updates']) as readonly unknown[]);
    const fail = (): never => {
      throw new MongoServerError(full);
    };

    it.each([
      ['each state', isState, refuse],
      ['the whole write of states', isState, fail],
      ['each commit', isCommit, refuse],
      ['the whole write of commits', isCommit, fail],
    ])('quarantines and refuses nothing if it refuses %s', async (_, isRefused, answer) => {
      await prepare();
      const problems: Problem[] = [];
      const writer = open(bad.db, { onProblem: (problem) => problems.push(problem) });
      await writer.submit(LOG, add(A, '1'));
      let times = 0;
      bad.interfere(async (command, send) => (isRefused(command) && times++ < 5 ? answer(command) : send()));
      const both = [writer.submit(LOG, add(A, '2')), writer.submit(LOG, add(B, '1'))];
      await expect(Promise.all(both)).resolves.toMatchObject([{ count: 2 }, { count: 1 }]);
      expect(times).toBeGreaterThan(5);
      expect(await thing(A)).toMatchObject({ count: 2 });
      expect(await thing(B)).toMatchObject({ count: 1 });
      expect(problems.filter(({ kind }) => kind !== 'unknownOutcome')).toEqual([]);
      expect(writer.counts.split).toBe(0);
    });

    it('leaves nothing acknowledged that is not applied later if it outlasts the commands', async () => {
      await prepare();
      const writer = open(bad.db, HASTY);
      await writer.submit(LOG, add(A, '1'));
      let isFull = true;
      bad.interfere(async (command, send) => (isState(command) && isFull ? refuse(command) : send()));
      await expect(writer.submit(LOG, add(A, '2'))).rejects.toMatchObject({ kind: 'unavailable' });
      isFull = false;
      await until(async () => (await thing(A))?.count === 2);
      await expect(writer.submit(LOG, add(A, '3'))).resolves.toEqual({ count: 3 });
    });

    it('releases the documents that other refusals of the same time have quarantined, after its end', async () => {
      await db.createCollection('things', { validator: { name: { $ne: 'poison' } } });
      const writer = open(bad.db, { applyEveryMs: 50 });
      await writer.submit(LOG, add(A, '1'));
      await expect(writer.submit(LOG, { kind: 'name', id: A, name: 'poison' })).rejects.toMatchObject({ kind: 'bug' });
      await db.command({ collMod: 'things', validator: {} });
      let times = 0;
      bad.interfere(async (command, send) => (isState(command) && times++ < 3 ? refuse(command) : send()));
      await writer.submit(LOG, add(B, '1'));
      await until(async () => (await db.collection('things.quarantine').countDocuments()) === 0);
      await until(() => writer.counts.quarantined === 0);
      await expect(writer.submit(LOG, add(A, '2'))).resolves.toEqual({ count: 2 });
    });
  });

  it('stores the longest permitted texts on any server', async () => {
    await db.collection('things').createIndex({ hwidHash: 1 });
    const writer = open(db);
    const four = '𝒳';
    const value = {
      hwid: four.repeat(255),
      token: 't'.repeat(4096),
      tags: [{ name: four.repeat(512), value: four.repeat(512) }, { value: 'ü'.repeat(1024) }],
    };
    await Promise.all([
      writer.submit(LOG, { kind: 'join', id: A, hwidHash: 'p' }),
      writer.submit(LOG, { kind: 'put', id: A, value }),
    ]);
    expect(await thing(A)).toMatchObject({ value });
  });
});
