import { describe, expect, it } from '@jest/globals';
import type { Clock } from '@tidings/kernel';
import { GroupingLogWriter } from './log-writer.ts';
import { MemoryLogStore } from './memory/memory-logs.ts';
import { MemoryStore } from './memory/memory-store.ts';
import { type ThingCommand, things, thingAt } from './things.features.ts';

class CountingStore extends MemoryLogStore {
  reads = 0;

  override find(collection: string, field: string, values: readonly string[]) {
    this.reads += values.length;
    return super.find(collection, field, values);
  }
}

const LOG = 'things-1';
const add = (id: string, key: string): ThingCommand => ({ kind: 'add', id, key, by: 1 });

function worldOf(cacheBytes = 1 << 20) {
  const memory = new MemoryStore();
  const store = new CountingStore(memory, things);
  let now = Date.UTC(2026, 0, 15);
  const clock: Clock = { now: () => now };
  const open = (options: object = {}) => {
    const writer = new GroupingLogWriter(things, store, { applyEveryMs: 3_600_000, clock, ...options });
    return {
      count: async (command: ThingCommand) => (await writer.submit(LOG, command)).count,
      async reads(command: ThingCommand) {
        const before = store.reads;
        await writer.submit(LOG, command);
        return store.reads - before;
      },
    };
  };
  return {
    memory,
    pass: (ms: number) => void (now += ms),
    first: open({ cacheBytes }),
    other: open(),
  };
}

describe('a document that a command creates', () => {
  const creating = { ...things, needs: ({ id }: ThingCommand) => ({ created: [thingAt(id)] }) };
  const decide: typeof things.decide = ({ id }) => ({
    events: [{ kind: 'named', id, name: 'new' }],
    reply: { count: 0 },
  });
  const writersOn = (memory: MemoryStore) => {
    const store = new CountingStore(memory, things);
    const open = (definition: typeof things) => new GroupingLogWriter(definition, store, { applyEveryMs: 3_600_000 });
    return { store, blind: open({ ...creating, decide }), seeing: open(creating) };
  };

  it('is not read, and is replaced if it exists', async () => {
    const memory = new MemoryStore();
    const { store, blind, seeing } = writersOn(memory);
    await blind.submit(LOG, add('a', 'k1'));
    expect(store.reads).toBe(0);
    await seeing.submit(LOG, add('b', 'k1'));
    await blind.submit(LOG, add('b', 'k1'));
    expect(memory.document(thingAt('b'))).toEqual({ _id: 'b', count: 0, keys: [], name: 'new', rev: 3 });
    await Promise.all([blind.close(), seeing.close()]);
  });

  it('is read by a decision that requires it', async () => {
    const { store, seeing } = writersOn(new MemoryStore());
    await seeing.submit(LOG, add('a', 'k1'));
    expect((await seeing.submit(LOG, add('a', 'k2'))).count).toBe(2);
    expect(store.reads).toBe(2);
    await seeing.close();
  });
});

describe('a document that a writer has written', () => {
  it('is not read for the next command on it', async () => {
    const { first, memory } = worldOf();
    expect(await first.reads(add('a', 'k1'))).toBe(1);
    expect(await first.reads(add('a', 'k2'))).toBe(0);
    expect(await first.reads({ kind: 'name', id: 'a', name: 'n' })).toBe(0);
    expect(await first.reads({ kind: 'name', id: 'a', name: undefined })).toBe(0);
    expect(memory.document(thingAt('a'))).toEqual({ _id: 'a', count: 2, keys: ['k1', 'k2'], rev: 4 });
  });

  it('is read after a commit of another writer, which refuses decisions without it', async () => {
    const { first, other, memory } = worldOf();
    await first.count(add('a', 'k1'));
    expect(await other.count(add('a', 'k2'))).toBe(2);
    expect(await first.count(add('a', 'k3'))).toBe(3);
    expect(memory.document(thingAt('a'))).toMatchObject({ count: 3, keys: ['k1', 'k2', 'k3'] });
  });

  it('is read before a reply without a commit', async () => {
    const { first, other } = worldOf();
    await first.count(add('a', 'k1'));
    await other.count(add('a', 'k2'));
    expect(await first.count({ kind: 'look', id: 'a' })).toBe(2);
  });

  it('is read again after 10 s, since its age may have removed it', async () => {
    const { first, pass } = worldOf();
    await first.count(add('a', 'k1'));
    pass(10_001);
    expect(await first.reads(add('a', 'k2'))).toBe(1);
  });

  it('needs no memory between that and the next write', async () => {
    const { first, pass } = worldOf();
    await first.count(add('a', 'k1'));
    pass(10_001);
    await first.count(add('b', 'k1'));
    // Within its time, it would still be remembered.
    pass(-10_001);
    expect(await first.reads(add('a', 'k2'))).toBe(1);
  });

  it('is read again once there are too many newer ones', async () => {
    const { first } = worldOf(1_000);
    await first.count(add('a', 'k1'));
    for (let i = 0; i < 20; i++) await first.count(add(`b${i}`, 'k1'));
    expect(await first.reads(add('a', 'k2'))).toBe(1);
    expect(await first.reads(add('b19', 'k2'))).toBe(0);
  });

  it('is always read by default', async () => {
    const { other } = worldOf();
    await other.count(add('a', 'k1'));
    expect(await other.reads(add('a', 'k2'))).toBe(1);
  });
});
