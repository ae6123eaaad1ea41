import { describe, expect, it } from '@jest/globals';
import { generator } from '../testing/send-simulation.ts';
import { MemoryPaces } from '../testing/memory-store.ts';
import { VirtualTime } from '../testing/virtual-time.ts';
import type { Timers } from '../timers.ts';
import { Paces } from './pace.ts';

const START = 1_800_000_000_000;
const SECOND = 1_000;
const SLICE = 50;

/** It may stall, and die with what it has in hand, which others get then. */
class Process {
  dead = false;
  frozenUntil = 0;
  readonly paces: Paces;
  readonly inHand = new Map<object, number>();
  readonly alive = (): boolean | number =>
    this.dead ? false : this.frozenUntil > this.time.now() ? this.frozenUntil : true;

  constructor(
    readonly time: VirtualTime,
    store: MemoryPaces,
    random: () => number,
    skewMs = 0,
  ) {
    const timers: Timers = {
      now: () => time.now(),
      wall: () => time.now() + skewMs,
      after: (ms, run) => time.at(ms, run, this.alive),
    };
    const journey = <T>(effect: () => T): Promise<T> =>
      new Promise((resolve) => {
        time.at(random() * 10, () => {
          const result = effect();
          time.at(random() * 10, () => resolve(result), this.alive);
        });
      });
    this.paces = new Paces({ store: store.over(journey), timers, onError: () => undefined });
  }

  send(sendRate: number, pushes: number, written: () => void): void {
    const slice = {};
    this.inHand.set(slice, pushes);
    const pump = (): void => {
      for (let left = this.inHand.get(slice)!; left > 0 && run.mayWrite(); left--) {
        run.written();
        written();
        this.inHand.set(slice, left - 1);
        if (left === 1) {
          run.leave();
          this.inHand.delete(slice);
        }
      }
    };
    const run = this.paces.join({ message: 'm', sendRate }, pump, pushes);
    pump();
  }
}

function mostInASecond(times: readonly number[]): number {
  let most = 0;
  for (let first = 0, last = 0; last < times.length; last++) {
    while (times[last]! - times[first]! >= SECOND) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

interface Faults {
  readonly stalls?: readonly [everyMs: number, longestMs: number];
  readonly deathsEveryMs?: number;
  /** `wayMs`: the time a push needs to reach the provider after a pause. */
  readonly pauses?: readonly [everyMs: number, longestMs: number, wayMs: number];
  readonly skewMs?: number;
}

async function paced(rate: number, pushes: number, seed: number, faults: Faults = {}) {
  const { stalls, deathsEveryMs, pauses, skewMs = 0 } = faults;
  const random = generator(seed);
  const time = new VirtualTime(START);
  const store = new MemoryPaces();
  const begun = (): Process => new Process(time, store, random, random() * skewMs);
  const processes = [0, 1, 2].map(begun);
  const times: number[] = [];
  let busyUntil = 0;
  const written = (): void => void times.push(time.now() + (time.now() < busyUntil ? pauses![2] : 0));
  const any = (): Process => processes[Math.floor(random() * processes.length)]!;
  const send = (count: number): void => any().send(rate, count, written);
  for (let sent = 0; sent < pushes; sent += SLICE) {
    const at = Math.max(0, (sent * SECOND) / rate - SECOND) + random() * 50;
    time.at(at, () => send(Math.min(SLICE, pushes - sent)));
  }
  const freeze = (): void => {
    if (!stalls) return;
    any().frozenUntil = time.now() + random() * stalls[1];
    time.at(stalls[0] * (0.5 + random()), freeze);
  };
  const pause = (): void => {
    if (!pauses) return;
    const until = time.now() + random() * pauses[1];
    for (const process of processes) process.frozenUntil = until;
    busyUntil = until + 5;
    time.at(pauses[0] * (0.9 + random() / 5), pause);
  };
  const die = (): void => {
    if (deathsEveryMs === undefined) return;
    const index = Math.floor(random() * processes.length);
    const died = processes[index]!;
    died.dead = true;
    processes[index] = begun();
    time.at(300, () => died.inHand.forEach((left) => send(left)));
    time.at(deathsEveryMs, die);
  };
  time.at(500, freeze);
  time.at(900, pause);
  time.at(2_000, die);
  await time.run(START + (pushes * SECOND) / rate + 30 * SECOND, () => times.length >= pushes);
  expect(times).toHaveLength(pushes);
  times.sort((a, b) => a - b);
  return { most: mostInASecond(times), perSecond: ((pushes - 1) * SECOND) / (times.at(-1)! - times[0]!) };
}

describe.each([100, 333, 1000])('a send rate of %i (R-I11)', (rate) => {
  it('is never exceeded by more than 5 % in any second, and is reached', async () => {
    const { most, perSecond } = await paced(rate, rate * 20, 1);
    expect(most).toBeLessThanOrEqual(rate * 1.05);
    expect(perSecond).toBeGreaterThanOrEqual(rate * 0.95);
  });

  it('is kept by stalled processes, which do not catch up', async () => {
    const { most, perSecond } = await paced(rate, rate * 20, 2, { stalls: [400, 300] });
    expect(most).toBeLessThanOrEqual(rate * 1.05);
    expect(perSecond).toBeGreaterThanOrEqual(rate * 0.85);
  });

  it('is kept while processes start and stop', async () => {
    for (let seed = 3; seed < 6; seed++) {
      const { most, perSecond } = await paced(rate, rate * 30, seed, { deathsEveryMs: 3_000 });
      expect(most).toBeLessThanOrEqual(rate * 1.05);
      expect(perSecond).toBeGreaterThanOrEqual(rate * 0.95);
    }
  });

  it('is kept at the provider while a busy machine delays timers and writes, and clocks differ', async () => {
    for (let seed = 6; seed < 16; seed++) {
      const { most, perSecond } = await paced(rate, rate * 20, seed, { pauses: [1_050, 60, 25], skewMs: 10 });
      expect(most).toBeLessThanOrEqual(rate * 1.05);
      expect(perSecond).toBeGreaterThanOrEqual(rate * 0.95);
    }
  });
});

describe('permits', () => {
  it('are reserved again when the store does not answer, or refuses', async () => {
    const time = new VirtualTime(START);
    const timers = time.timers(() => true);
    const store = new MemoryPaces().over();
    const errors: unknown[] = [];
    let reservations = 0;
    const paces = new Paces({
      store: {
        reserve: (...of) => {
          reservations++;
          if (reservations === 1) return new Promise(() => undefined);
          return reservations === 2 ? Promise.reject(new Error('down')) : store.reserve(...of);
        },
      },
      timers,
      onError: (error) => errors.push(error),
    });
    let written = 0;
    const pump = (): void => {
      while (written < 5 && run.mayWrite()) {
        run.written();
        written++;
      }
      if (written === 5) run.leave();
    };
    const run = paces.join({ message: 'm', sendRate: 100 }, pump, 5);
    pump();
    await time.run(START + 1_900);
    expect(written).toBe(0);
    await time.run(START + 3_000);
    expect(written).toBe(5);
    expect(errors).toHaveLength(1);
  });

  it('pass to the next run when one cannot write', async () => {
    const time = new VirtualTime(START);
    const paces = new Paces({
      store: new MemoryPaces().over(),
      timers: time.timers(() => true),
      onError: (error) => {
        throw error;
      },
    });
    let written = 0;
    const busy = paces.join({ message: 'm', sendRate: 100 }, () => undefined, 10);
    const run = paces.join(
      { message: 'm', sendRate: 100 },
      () => {
        while (run.mayWrite()) {
          run.written();
          written++;
        }
      },
      10,
    );
    busy.mayWrite();
    await time.run(START + SECOND);
    expect(written).toBeGreaterThan(90);
  });
});
