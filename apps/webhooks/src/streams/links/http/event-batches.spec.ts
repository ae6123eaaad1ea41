import { describe, expect, it } from '@jest/globals';
import { type EventBatch, EventBatches, MAX_EVENTS } from './event-batches.ts';

const named = (from: number, count: number): string[] => Array.from({ length: count }, (_, i) => `u${from + i}`);

class Assembly {
  readonly batches = new EventBatches();
  now = 0;

  add(uuids: readonly string[], json = '{}'): this {
    for (const uuid of uuids) this.batches.add({ uuid, json }, this.now);
    return this;
  }

  pass(ms: number): this {
    this.now += ms;
    return this;
  }

  take(): string[][] {
    const taken: EventBatch[] = [];
    for (let batch = this.batches.take(this.now); batch; batch = this.batches.take(this.now)) taken.push(batch);
    return taken.map(({ events }) => events.map(({ uuid }) => uuid));
  }

  fail(uuids: readonly string[], failures = 0, hasAck = true): this {
    this.batches.failed({ events: uuids.map((uuid) => ({ uuid, json: '{}' })), failures }, hasAck);
    return this;
  }
}

describe('batches of events (R-EV6)', () => {
  it('hold at most 500 events, in order', () => {
    const assembly = new Assembly().add(named(0, MAX_EVENTS + 2));
    expect(assembly.take()).toEqual([named(0, MAX_EVENTS)]);
    expect(assembly.pass(1000).take()).toEqual([named(MAX_EVENTS, 2)]);
    expect(assembly.batches.dueAt).toBe(Infinity);
  });

  it('are filled for at most a second, and end when no more events come', () => {
    const trickle = new Assembly();
    for (let i = 0; i < 40; i++) {
      trickle.add([`u${i}`]).pass(25);
      expect(trickle.take()).toEqual(i < 39 ? [] : [named(0, 40)]);
    }
    const single = new Assembly().add(['u0']);
    expect(single.batches.dueAt).toBe(50);
    expect([single.pass(49).take(), single.pass(1).take()]).toEqual([[], [['u0']]]);
  });

  it('are bounded by their length, too', () => {
    const assembly = new Assembly().add(named(0, 3), 'x'.repeat(400_000));
    expect(assembly.take()).toEqual([named(0, 3)]);
    expect(assembly.add(named(3, 4), 'x'.repeat(400_000)).take()).toEqual([named(3, 3)]);
  });

  it('are repeated unchanged after a failure, whatever else is sent', () => {
    const failed = named(10, 3);
    const assembly = new Assembly().fail(failed);
    assembly.add(['u1', ...failed, 'u2']);
    expect(assembly.take()).toEqual([failed]);
    expect(assembly.pass(50).take()).toEqual([['u1', 'u2']]);
    expect(
      assembly
        .add([...failed, 'u3'])
        .pass(50)
        .take(),
    ).toEqual([[...failed, 'u3']]);
  });

  it('are repeated without the events that are no longer due', () => {
    const assembly = new Assembly().fail(named(0, 3)).add(['u0', 'u2']);
    expect([assembly.take(), assembly.pass(50).take()]).toEqual([[], [['u0', 'u2']]]);
  });

  it('are divided after three failures, down to single events', () => {
    const all = named(0, MAX_EVENTS);
    const assembly = new Assembly();
    let parts = assembly.add(all).take();
    const sizes: number[] = [];
    for (let round = 1; round <= 6; round++) {
      const failed = parts.find((part) => part.includes('u499'))!;
      const batch = { events: failed.map((uuid) => ({ uuid, json: '{}' })), failures: round - 1 };
      assembly.batches.failed(batch, true);
      parts = assembly.add(failed).pass(50).take();
      sizes.push(parts.find((part) => part.includes('u499'))!.length);
    }
    expect(sizes).toEqual([500, 500, 59, 3, 1, 1]);
  });

  it('are divided once while the receiver acknowledges nothing', () => {
    const assembly = new Assembly();
    let batches: EventBatch[] = [{ events: named(0, MAX_EVENTS).map((uuid) => ({ uuid, json: '{}' })), failures: 2 }];
    for (let round = 0; round < 5; round++) {
      for (const batch of batches) assembly.batches.failed(batch, false);
      assembly.add(named(0, MAX_EVENTS)).pass(50);
      batches = [];
      for (let next = assembly.batches.take(assembly.now); next; next = assembly.batches.take(assembly.now)) {
        batches.push(next);
      }
    }
    expect(batches).toHaveLength(8);
  });

  it('contain each deferred event alone', () => {
    const assembly = new Assembly().fail(named(0, 3));
    assembly.batches.forget('u1');
    expect(assembly.add(named(0, 3)).pass(50).take()).toEqual([['u0', 'u2'], ['u1']]);
  });
});
