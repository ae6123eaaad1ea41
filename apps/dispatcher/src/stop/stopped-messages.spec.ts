import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryAttempts, MemoryStops } from '../testing/memory-store.ts';
import { VirtualTime } from '../testing/virtual-time.ts';
import { StoppedMessages, type StopStore } from './stopped-messages.ts';

describe('stopped messages', () => {
  let time: VirtualTime;
  let store: StopStore;
  let looks: number[];
  let isAway: boolean;

  beforeEach(() => {
    time = new VirtualTime(1_800_000_000_000);
    const memory = new MemoryStops(new MemoryAttempts()).over();
    looks = [];
    isAway = false;
    store = {
      ...memory,
      since: async (at) => {
        looks.push(time.now());
        if (isAway) throw new Error('the store is away');
        return memory.since(at);
      },
    };
  });

  const open = async (isAlone = false): Promise<StoppedMessages> => {
    const timers = time.timers(() => true);
    const options = { clock: time.clock, timers, isAlone: () => isAlone, onError: () => undefined };
    const stops = new StoppedMessages({ store, ...options });
    await stops.refresh();
    looks = [];
    return stops;
  };
  const pass = (ms: number): Promise<void> => time.run(time.now() + ms);

  it('are looked for twice a second while slices are open, and never otherwise', async () => {
    const stops = await open();
    await pass(60_000);
    expect(looks).toEqual([]);
    stops.begin();
    await pass(10_000);
    expect(looks).toHaveLength(20);
    stops.end();
    looks = [];
    await pass(60_000);
    expect(looks).toEqual([]);
  });

  it('of another process are known within 500 ms, and once', async () => {
    const [stops, other] = [await open(), await open()];
    const known: string[] = [];
    stops.follow({ stopped: (messages) => known.push(...messages), madeDue: () => undefined });
    stops.begin();
    await pass(100);
    await other.record(['m']);
    expect([other.has('m'), stops.has('m')]).toEqual([true, false]);
    await pass(500);
    expect(stops.has('m')).toBe(true);
    await other.record(['m', 'n']);
    await pass(5_000);
    expect(known).toEqual(['m', 'n']);
  });

  it('are known after the clock of a process was set back', async () => {
    const [stops, other] = [await open(), await open()];
    await other.record(['m']);
    stops.begin();
    await pass(1_000);
    time.clock.step(-3_600_000);
    await other.record(['n']);
    await pass(1_000);
    expect([stops.has('m'), stops.has('n')]).toEqual([true, true]);
  });

  it('are unknown when the last look is older than 900 ms, until the store answers', async () => {
    const stops = await open();
    stops.begin();
    await pass(2_000);
    isAway = true;
    await pass(900);
    expect(stops.isFresh).toBe(true);
    await pass(600);
    expect(stops.isFresh).toBe(false);
    let isCalled = false;
    stops.whenFresh(() => (isCalled = true));
    await pass(1_000);
    expect(isCalled).toBe(false);
    isAway = false;
    await pass(600);
    expect([isCalled, stops.isFresh]).toEqual([true, true]);
  });

  it('need no look in the only process, which reads them all', async () => {
    const stops = await open(true);
    stops.begin();
    await pass(10_000);
    expect([looks, stops.isFresh]).toEqual([[], true]);
  });

  it('make deferred slices due at once, and those that were in hand 5 s later', async () => {
    const due: number[] = [];
    const stops = await open(true);
    stops.follow({ stopped: () => undefined, madeDue: () => due.push(time.now()) });
    const now = time.now();
    await stops.record(['m']);
    await pass(10_000);
    expect(due).toEqual([now, now + 5_000]);
  });
});
