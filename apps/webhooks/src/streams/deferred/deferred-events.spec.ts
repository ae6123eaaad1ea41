import { beforeEach, describe, expect, it } from '@jest/globals';
import { TestClock } from '@tidings/testing';
import { memoryDeferred } from '../../testing/memory-deferred.ts';
import { GIVE_UP_MS, type NewUnacked, UnackedEvents } from '../unacked.ts';
import { DeferredEvents } from './deferred-events.ts';
import { Deferral } from './deferral.ts';

const event = (key: string, n: number, fields: Partial<NewUnacked> = {}): NewUnacked => ({
  key,
  n,
  e: 0,
  d: 0,
  enqueuedAt: n,
  failures: 0,
  at: 0,
  ...fields,
});

class Wire {
  readonly store = memoryDeferred();
  readonly clock = new TestClock(new Date(0));
  unacked = new UnackedEvents();
  deferred = new DeferredEvents(this.store, { dropped: 0, max: 4, clock: this.clock });
  deferral = new Deferral(this.unacked, this.deferred);

  get now(): number {
    return this.clock.steady();
  }

  takeOver(): void {
    this.unacked = new UnackedEvents();
    this.deferred = new DeferredEvents(this.store, { ...this.deferred.summary, max: 4, clock: this.clock });
    this.deferral = new Deferral(this.unacked, this.deferred);
  }

  read(...events: readonly NewUnacked[]): Promise<number> {
    return this.deferral.accept(events);
  }

  async exchange(isAck: (n: number) => boolean = () => false): Promise<number[]> {
    await this.deferral.take(this.now);
    const sent = this.unacked.dueEvents(this.now);
    for (const each of sent) {
      this.unacked.sent(each, `u${each.n}`, this.now);
      if (isAck(each.n)) this.unacked.acked(`u${each.n}`, this.now);
      else this.unacked.failed([`u${each.n}`], 'refused', this.now);
    }
    await this.deferral.flush();
    return sent.map(({ n }) => n);
  }

  async minutes(count: number, isAck?: (n: number) => boolean): Promise<number[][]> {
    const sent: number[][] = [];
    for (let i = 0; i < count; i++) {
      this.clock.advance(60);
      sent.push(await this.exchange(isAck));
    }
    return sent;
  }
}

describe('deferred events', () => {
  let wire: Wire;
  beforeEach(() => {
    wire = new Wire();
  });

  it('leave the window after three refusals, and delay only their own device and message', async () => {
    await wire.read(event('a', 1), event('b', 2), event('a', 3));
    expect(await wire.minutes(3, (n) => n === 2)).toEqual([[1, 2], [1], [1]]);
    expect([wire.unacked.size, wire.deferred.length]).toEqual([0, 2]);
    await wire.read(event('a', 4), event('c', 5));
    expect([wire.unacked.size, wire.deferred.length]).toEqual([1, 3]);
    expect(await wire.minutes(2, (n) => n === 5)).toEqual([[1, 5], [1]]);
    expect((await wire.minutes(3, () => true)).flat()).toEqual([1, 3, 4]);
    expect(wire.deferred.summary).toEqual({ length: 0, dropped: 0 });
    await wire.read(event('a', 6));
    expect(wire.unacked.size).toBe(1);
  });

  it('are sent again with their own waits', async () => {
    await wire.read(event('a', 1));
    const at: number[] = [];
    for (; wire.now < 300_000; wire.clock.advance(0.5))
      if ((await wire.exchange()).length > 0) at.push(wire.now / 1000);
    expect(at.map((each, i) => each - (at[i - 1] ?? 0))).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('survive a takeover, which neither repeats nor loses one', async () => {
    const open = [event('a', 1), event('b', 2), event('a', 3)];
    await wire.read(...open);
    await wire.minutes(3, () => false);
    expect(wire.deferred.length).toBe(3);
    wire.takeOver();
    // Progress from before they were deferred, and an event that followed.
    await wire.deferral.restore([...open, event('b', 4), event('c', 5)]);
    expect([wire.unacked.size, wire.deferred.length]).toEqual([1, 4]);
    expect((await wire.minutes(4, () => true)).flat().toSorted()).toEqual([1, 2, 3, 4, 5]);
  });

  it('are dropped beyond their maximum number, the oldest first', async () => {
    await wire.read(...[1, 2, 3, 4, 5, 6].map((n) => event(`k${n}`, n)));
    await wire.minutes(3);
    expect(wire.deferred.length).toBe(6);
    const dropped: number[] = [];
    const removed = await wire.deferred.prune(({ n }) => dropped.push(n));
    expect([removed, dropped]).toEqual([{ givenUp: 0, dropped: 2 }, [1, 2]]);
    expect(wire.deferred.summary).toEqual({ length: 4, oldest: 3, dropped: 2 });
    wire.takeOver();
    await wire.deferral.restore([]);
    expect(wire.deferred.summary).toMatchObject({ length: 4, dropped: 2 });
  });

  it('are given up after 72 hours, and let the next one continue', async () => {
    await wire.read(event('a', 1));
    await wire.minutes(3);
    await wire.read(event('a', 7_200_000));
    wire.clock.advance((GIVE_UP_MS - wire.now) / 1000);
    expect(await wire.deferral.prune()).toEqual({ givenUp: 0, dropped: 0 });
    wire.clock.advance(0.001);
    expect(await wire.deferral.prune()).toEqual({ givenUp: 1, dropped: 0 });
    expect(await wire.minutes(1, () => true)).toEqual([[7_200_000]]);
  });

  it.each([-7_200, 7_200])('wait no longer than before when the clock is set by %i s', async (seconds) => {
    wire.clock.advance(36_000);
    await wire.read(...[1, 2, 3].map((n) => event(`k${n}`, n, { enqueuedAt: wire.now })));
    await wire.minutes(4);
    expect(wire.deferred.length).toBe(3);
    wire.clock.step(seconds);
    const sent: number[] = [];
    for (const end = wire.now + 62_000; wire.now < end; wire.clock.advance(0.5)) {
      await wire.deferral.prune();
      sent.push(...(await wire.exchange()));
    }
    expect(new Set(sent)).toEqual(new Set([1, 2, 3]));
    expect(sent.length).toBeLessThanOrEqual(9);
  });

  it('are sent after the clock was set back, although many newer ones wait', async () => {
    wire.clock.advance(36_000);
    await wire.store.add(
      Array.from({ length: 300 }, (_, n) => ({
        key: `k${n}`,
        failures: 9,
        at: wire.clock.now() + (n === 299 ? 7_200_000 : 59_000),
        events: [{ n, e: 0, d: 0, enqueuedAt: wire.clock.now() }],
      })),
    );
    wire.deferred = new DeferredEvents(wire.store, { dropped: 0, clock: wire.clock });
    wire.deferral = new Deferral(wire.unacked, wire.deferred);
    await wire.deferral.restore([]);
    expect(await wire.exchange()).toEqual([]);
    await wire.deferral.prune();
    expect(await wire.exchange()).toEqual([299]);
  });

  it('are given up 72 hours after they were enqueued, whatever the clock is set to', async () => {
    await wire.read(event('a', 1));
    await wire.minutes(3);
    wire.clock.step(GIVE_UP_MS / 1000);
    expect(await wire.deferral.prune()).toEqual({ givenUp: 0, dropped: 0 });
    wire.clock.step(-GIVE_UP_MS / 1000);
    wire.clock.advance(GIVE_UP_MS / 1000);
    expect(await wire.deferral.prune()).toEqual({ givenUp: 1, dropped: 0 });
  });

  it('count as acknowledged by a late answer', async () => {
    await wire.read(event('a', 1), event('a', 2));
    await wire.minutes(4);
    expect(wire.unacked.acked('u1', wire.now)).toBe(true);
    await wire.deferral.flush();
    expect(await wire.minutes(1, () => true)).toEqual([[2]]);
    expect(wire.deferred.length).toBe(0);
  });
});
