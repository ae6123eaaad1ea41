import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LONG_TIMEOUT } from '@tidings/testing';
import type { CountingLogWriter, OpenLogsOptions } from './log-options.ts';
import type { Commit, DocumentAddress, LogDefinition } from './event-log-port.ts';
import { ownerAt, thingAt, type ThingCommand, type ThingEvent, type ThingReply, things } from './things.features.ts';

export interface EventStoreUnderTest {
  open<Command, Event, State, Reply, Context>(
    definition: LogDefinition<Command, Event, State, Reply, Context>,
    options?: OpenLogsOptions<Event>,
  ): CountingLogWriter<Command, Reply>;
  document(address: DocumentAddress): Promise<Record<string, unknown> | undefined>;
  commits(log: string): Promise<readonly { readonly position: number; readonly events: readonly unknown[] }[]>;
  close(): Promise<void>;
}

let logs = 0;
const fresh = (): { log: string; id: string; other: string } => {
  const log = `things-${++logs}`;
  return { log, id: `${log}/a`, other: `${log}/b` };
};

export function eventStoreFeatures(name: string, start: () => Promise<EventStoreUnderTest>): void {
  describe(`${name}: event logs`, () => {
    let store: EventStoreUnderTest;
    let writer: CountingLogWriter<ThingCommand, ThingReply>;
    const opened: CountingLogWriter<never, unknown>[] = [];

    const open = (options?: OpenLogsOptions<ThingEvent>): CountingLogWriter<ThingCommand, ThingReply> => {
      const another = store.open(things, { ...LONG_TIMEOUT, ...options });
      opened.push(another);
      return another;
    };

    beforeAll(async () => {
      store = await start();
      writer = open();
    });
    afterAll(async () => {
      await Promise.all(opened.map((one) => one.close()));
      await store.close();
    });

    it('answers when the events are applied to the state', async () => {
      const { log, id } = fresh();
      await expect(writer.submit(log, { kind: 'add', id, key: 'k', by: 2 })).resolves.toEqual({ count: 2 });
      expect(await store.document(thingAt(id))).toMatchObject({ _id: id, rev: 1, count: 2, keys: ['k'] });
      expect(await store.commits(log)).toMatchObject([{ position: 1, events: [expect.anything()] }]);
    });

    it('reports the commit to its submitter before the answer, and nothing if nothing was committed', async () => {
      const { log, id } = fresh();
      const observed: string[] = [];
      const add = async (name: string): Promise<void> => {
        const committed = ({ count }: ThingReply): void => void observed.push(`${name} committed with ${count}`);
        await writer.submit(log, { kind: 'add', id, key: 'k', by: 2 }, committed);
        observed.push(`${name} answered`);
      };
      await add('first');
      await add('repeat');
      expect(observed).toEqual(['first committed with 2', 'first answered', 'repeat answered']);
    });

    it('decides concurrent commands as one group, in order', async () => {
      const { log, id, other } = fresh();
      const replies = await Promise.all([
        writer.submit(log, { kind: 'add', id, key: 'a', by: 1 }),
        writer.submit(log, { kind: 'add', id: other, key: 'b', by: 5 }),
        writer.submit(log, { kind: 'add', id, key: 'c', by: 1 }),
        writer.submit(log, { kind: 'add', id, key: 'a', by: 1 }),
      ]);
      expect(replies).toEqual([{ count: 1 }, { count: 5 }, { count: 2 }, { count: 2, repeated: true }]);
      expect(await store.commits(log)).toHaveLength(1);
    });

    it('assigns gapless positions to groups, and keeps the order of a log', async () => {
      const { log, id } = fresh();
      const small = open({ groupCommands: 7 });
      const replies = await Promise.all(
        Array.from({ length: 40 }, (_, i) => small.submit(log, { kind: 'add', id, key: `${i}`, by: 1 })),
      );
      expect(replies.map(({ count }) => count)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
      expect((await store.commits(log)).map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(await store.document(thingAt(id))).toMatchObject({
        rev: 6,
        keys: Array.from({ length: 40 }, (_, i) => `${i}`),
      });
    });

    it('ends a group at its size limit in bytes', async () => {
      const { log, id } = fresh();
      const small = open({ groupBytes: 100 });
      await Promise.all(['a', 'b', 'c'].map((key) => small.submit(log, { kind: 'add', id, key, by: 1 })));
      const counts = (await store.commits(log)).map(({ events }) => events.length);
      expect(counts.length).toBeGreaterThan(1);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    });

    it('serves many logs in parallel', async () => {
      const names = Array.from({ length: 20 }, fresh);
      await Promise.all(
        names.flatMap(({ log, id }) =>
          ['x', 'y', 'z'].map((key) => writer.submit(log, { kind: 'add', id, key, by: 1 })),
        ),
      );
      for (const { log, id } of names) {
        expect(await store.document(thingAt(id))).toMatchObject({ count: 3 });
        expect(await store.commits(log)).toHaveLength(1);
      }
    });

    it('commits nothing for commands without events', async () => {
      const { log, id } = fresh();
      await writer.submit(log, { kind: 'add', id, key: 'k', by: 1 });
      await expect(writer.submit(log, { kind: 'add', id, key: 'k', by: 1 })).resolves.toEqual({
        count: 1,
        repeated: true,
      });
      await expect(writer.submit(log, { kind: 'look', id })).resolves.toEqual({ count: 1 });
      expect(await store.commits(log)).toHaveLength(1);
    });

    it('refuses only the faulty command of a group', async () => {
      const { log, id } = fresh();
      const replies = await Promise.allSettled([
        writer.submit(log, { kind: 'add', id, key: 'a', by: 1 }),
        writer.submit(log, { kind: 'refuse', id }),
        writer.submit(log, { kind: 'explode', id }),
        writer.submit(log, { kind: 'add', id, key: 'b', by: 1 }),
      ]);
      expect(replies).toMatchObject([
        { value: { count: 1 } },
        { reason: { kind: 'conflict', message: 'no' } },
        { reason: { kind: 'bug', internal: 'a defect' } },
        { value: { count: 2 } },
      ]);
      expect(await store.commits(log)).toMatchObject([{ position: 1 }]);
    });

    it.each<[string, unknown, string?]>([
      ['a function', () => 1],
      ['a field name with $', { $where: 1 }],
      ['a field name with NUL', { 'a\0b': 1 }],
      ['nesting without end', nested(95)],
      ['a state over 4 MB', 'x'.repeat(4 * 1024 * 1024), 'tooLarge'],
    ])('refuses only the event that no state can contain: %s', async (_, value, kind = 'bug') => {
      const { log, id, other } = fresh();
      const encode = (event: ThingEvent): Uint8Array =>
        things.encode(event.kind === 'valued' ? { ...event, value: 0 } : event);
      const poisonous = store.open({ ...things, encode }, LONG_TIMEOUT);
      opened.push(poisonous);
      const replies = await Promise.allSettled([
        poisonous.submit(log, { kind: 'add', id, key: 'a', by: 1 }),
        poisonous.submit(log, { kind: 'put', id, value }),
        poisonous.submit(log, { kind: 'add', id: other, key: 'b', by: 1 }),
        poisonous.submit(log, { kind: 'add', id, key: 'c', by: 1 }),
      ]);
      expect(replies).toMatchObject([
        { value: { count: 1 } },
        { reason: { kind } },
        { value: { count: 1 } },
        { value: { count: 2 } },
      ]);
      expect(await store.commits(log)).toMatchObject([{ position: 1, events: { length: 3 } }]);
    });

    it('refuses a log of another category', async () => {
      await expect(writer.submit('strangers-1', { kind: 'look', id: 'a' })).rejects.toMatchObject({ kind: 'bug' });
    });

    it('removes fields that a state no longer has, and keeps the self-reports', async () => {
      const { log, id } = fresh();
      await writer.submit(log, { kind: 'name', id, name: 'first' });
      await writer.submit(log, { kind: 'selfReport', id, set: { badge: 3 } });
      expect(await store.document(thingAt(id))).toMatchObject({ name: 'first', self: { badge: 3 } });
      await writer.submit(log, { kind: 'name', id, name: undefined });
      const document = await store.document(thingAt(id));
      expect(document).not.toHaveProperty('name');
      expect(document).toMatchObject({ rev: 2, self: { badge: 3 } });
    });

    it('writes self-reports in order beside the events, and never creates a document of them', async () => {
      const { log, id, other } = fresh();
      await Promise.all([
        writer.submit(log, { kind: 'selfReport', id, set: { badge: 1, 'place.lat': 4 }, max: { seen: 5 } }),
        writer.submit(log, { kind: 'add', id, key: 'a', by: 1 }),
        writer.submit(log, { kind: 'selfReport', id, set: { badge: 2, place: { lat: 5 } }, max: { seen: 3 } }),
        writer.submit(log, { kind: 'selfReport', id, set: { 'place.lon': 6 } }),
        writer.submit(log, { kind: 'selfReport', id: other, set: { badge: 1 } }),
      ]);
      expect(await store.document(thingAt(id))).toMatchObject({
        count: 1,
        self: { badge: 2, place: { lat: 5, lon: 6 }, seen: 5 },
      });
      expect(await store.document(thingAt(other))).toBeUndefined();
      await writer.submit(log, { kind: 'selfReport', id, max: { seen: 9 } });
      expect(await store.document(thingAt(id))).toMatchObject({ rev: 1, self: { seen: 9 } });
      await expect(writer.submit(log, { kind: 'selfReport', id, set: { $x: 1 } })).rejects.toMatchObject({
        kind: 'bug',
      });
      await expect(writer.submit(log, { kind: 'selfReport', id, set: { 'a..b': 1 } })).rejects.toMatchObject({
        kind: 'bug',
      });
    });

    it('adds to self-reports beside others, and with the next state', async () => {
      const { log, id } = fresh();
      await writer.submit(log, { kind: 'add', id, key: 'a', by: 1 });
      await Promise.all([
        writer.submit(log, { kind: 'selfReport', id, set: { badge: 1 }, add: { times: 1 } }),
        writer.submit(log, { kind: 'selfReport', id, set: { badge: 2 }, add: { times: 1 } }),
        writer.submit(log, { kind: 'add', id, key: 'b', by: 1 }),
      ]);
      await writer.submit(log, { kind: 'selfReport', id, set: { badge: 3 }, add: { times: 2 } });
      expect(await store.document(thingAt(id))).toMatchObject({ self: { badge: 3, times: 4 } });
    });

    it('clears self-reports with the next state, and keeps later ones', async () => {
      const { log, id } = fresh();
      await writer.submit(log, { kind: 'add', id, key: 'a', by: 1 });
      await writer.submit(log, { kind: 'selfReport', id, set: { badge: 3 } });
      await Promise.all([
        writer.submit(log, { kind: 'selfReport', id, set: { place: 1 } }),
        writer.submit(log, { kind: 'add', id, key: 'b', by: 1 }),
        writer.submit(log, { kind: 'selfReport', id, clear: true, set: { seen: 5 } }),
      ]);
      expect(await store.document(thingAt(id))).toMatchObject({ count: 2, self: { seen: 5 } });
      expect(await store.document(thingAt(id))).not.toHaveProperty('self.badge');
      await writer.submit(log, { kind: 'selfReport', id, clear: true });
      expect(Object.keys({ ...((await store.document(thingAt(id)))?.['self'] as object) })).toEqual([]);
    });

    it('finds states by a field, those of the same group included', async () => {
      const { log, id, other } = fresh();
      const hwidHash = `${log}/hwid`;
      await writer.submit(log, { kind: 'join', id, hwidHash });
      const [first, second, third] = await Promise.all([
        writer.submit(log, { kind: 'join', id: other, hwidHash }),
        writer.submit(log, { kind: 'join', id, hwidHash: `${hwidHash}2` }),
        writer.submit(log, { kind: 'join', id: `${log}/c`, hwidHash }),
      ]);
      expect([first.others, second.others, third.others]).toEqual([[id], [], [other]]);
    });

    it('applies an event into two documents, one of which only the event names', async () => {
      const { log, id, other } = fresh();
      const owner = `${log}/owner`;
      await Promise.all([writer.submit(log, { kind: 'give', id, owner })]);
      await writer.submit(log, { kind: 'give', id: other, owner });
      expect(await store.document(ownerAt(owner))).toMatchObject({ rev: 2, things: [id, other] });
      expect(await store.document(thingAt(id))).toMatchObject({ rev: 1 });
    });

    it('lets two writers work on one log: conflicts are applied and decided again', async () => {
      const { log, id } = fresh();
      const [one, two] = [open({ groupCommands: 3 }), open({ groupCommands: 5 })];
      const keys = Array.from({ length: 60 }, (_, i) => `${i}`);
      await Promise.all(
        keys.flatMap((key) => [
          one.submit(log, { kind: 'add', id, key, by: 1 }),
          two.submit(log, { kind: 'add', id, key, by: 1 }),
        ]),
      );
      expect(await store.document(thingAt(id))).toMatchObject({ count: 60 });
      expect(one.counts.conflicts + two.counts.conflicts).toBeGreaterThan(0);
      const commits = await store.commits(log);
      expect(commits.map(({ position }) => position)).toEqual(commits.map((_, i) => i + 1));
    });

    it('repeats a preparation after a conflict', async () => {
      const { log, id } = fresh();
      let prepared = 0;
      const preparing = store.open<ThingCommand, ThingEvent, never, ThingReply, number>({
        ...(things as unknown as LogDefinition<ThingCommand, ThingEvent, never, ThingReply, number>),
        async prepare(commands, view) {
          expect(view.get(thingAt(id))).toBeUndefined();
          if (prepared++ === 0) await writer.submit(log, { kind: 'give', id: `${id}/2`, owner: `${id}/o` });
          return commands.length;
        },
        decide: (_, __, context) => ({ events: [], reply: { count: context } }),
      });
      opened.push(preparing);
      await preparing.submit(log, { kind: 'look', id });
      expect(prepared).toBe(1);
    });

    it('reports every commit to its listener, in order', async () => {
      const { log, id } = fresh();
      const observed: Commit<ThingEvent>[] = [];
      const listening = open({ groupCommands: 2, committed: (commit) => observed.push(commit) });
      await Promise.all(['a', 'b', 'c', 'd'].map((key) => listening.submit(log, { kind: 'add', id, key, by: 1 })));
      expect(observed.map(({ position, events }) => [position, events.length])).toEqual([
        [1, 2],
        [2, 2],
      ]);
      expect(observed[0]).toMatchObject({ log, events: [{ kind: 'added', key: 'a' }, { key: 'b' }] });
    });

    it('is idle when all commands are answered, and accepts none after closing', async () => {
      const { log, id } = fresh();
      const closing = open();
      const answer = closing.submit(log, { kind: 'add', id, key: 'a', by: 1 });
      expect(closing.idle()).toBe(false);
      await closing.close();
      await expect(answer).resolves.toEqual({ count: 1 });
      expect(closing.idle()).toBe(true);
      await expect(closing.submit(log, { kind: 'look', id })).rejects.toMatchObject({ kind: 'unavailable' });
    });
  });
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = { value };
  return value;
}
