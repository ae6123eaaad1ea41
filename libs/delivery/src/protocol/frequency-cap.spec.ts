import { describe, expect, it } from '@jest/globals';
import { Bitmap } from '@tidings/kernel';
import fc from 'fast-check';
import {
  cappingDays,
  type CountedPage,
  dayOf,
  devicesAtCap,
  emptyPage,
  firstDayNeeded,
  withoutSends,
  withSends,
} from './frequency-cap.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 0, 10, 12);

interface Sent {
  readonly at: number;
  readonly devices: readonly number[];
}

class Pages {
  readonly #byDay = new Map<number, CountedPage>();

  add({ at, devices }: Sent): void {
    this.#byDay.set(dayOf(at), withSends(this.#at(at), Bitmap.of(devices), at));
  }

  fail({ at, devices }: Sent): void {
    this.#byDay.set(dayOf(at), withoutSends(this.#at(at), Bitmap.of(devices), at));
  }

  at(days: number, at: number): CountedPage[] {
    return cappingDays({ days }, at).map((day) => this.#byDay.get(day) ?? emptyPage);
  }

  get size(): number {
    return [...this.#byDay.values()].reduce((sum, { sends }) => sum + sends.length, 0);
  }

  #at(at: number): CountedPage {
    return this.#byDay.get(dayOf(at)) ?? emptyPage;
  }
}

const reached = (
  pages: Pages,
  cap: { days: number; count: number },
  at: number,
  devices: readonly number[],
): number[] => Array.from(devicesAtCap(Uint16Array.from(devices), pages.at(cap.days, at), cap, at).positions());

const devices = fc.uniqueArray(fc.oneof(fc.nat(20), fc.nat(65_535)), { minLength: 1, maxLength: 30 });
const sent = fc.record({
  at: fc.oneof(
    fc.integer({ min: NOON - 40 * DAY, max: NOON }),
    fc.integer({ min: -3, max: 3 }).map((n) => NOON - 7 * DAY + n),
    fc.constant(NOON),
  ),
  devices,
  fails: fc.boolean(),
});

describe('frequency capping', () => {
  it('counts exactly the unfailed sends of the preceding time', () => {
    fc.assert(
      fc.property(
        fc.array(sent, { maxLength: 60 }),
        fc.record({ days: fc.constantFrom(1, 7, 30), count: fc.integer({ min: 1, max: 6 }) }),
        fc.boolean(),
        (all, cap, few) => {
          const pages = new Pages();
          for (const each of all) pages.add(each);
          for (const each of all) if (each.fails) pages.fail(each);
          const counts = new Map<number, number>();
          for (const each of all) {
            if (each.fails || each.at <= NOON - cap.days * DAY) continue;
            for (const device of each.devices) counts.set(device, (counts.get(device) ?? 0) + 1);
          }
          const expected = [...counts].filter(([, count]) => count >= cap.count).map(([device]) => device);
          const everyone = [...new Set(all.flatMap((each) => each.devices))];
          // Many devices are counted in another way than few.
          const requested = few
            ? everyone.slice(0, 250)
            : [...new Set([...everyone, ...Array.from({ length: 400 }, (_, i) => i)])];
          const among = new Set(requested);
          expect(reached(pages, cap, NOON, requested)).toEqual(
            expected.filter((device) => among.has(device)).sort((a, b) => a - b),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('drops a send when its time is over, to the millisecond', () => {
    const pages = new Pages();
    pages.add({ at: NOON, devices: [1] });
    const once = { days: 1, count: 1 };
    expect(reached(pages, once, NOON + DAY - 1, [1])).toEqual([1]);
    expect(reached(pages, once, NOON + DAY, [1])).toEqual([]);
  });

  it('counts the plan of a process whose clock is ahead, beyond midnight too', () => {
    const midnight = Date.UTC(2026, 0, 11);
    const pages = new Pages();
    pages.add({ at: midnight + 5, devices: [1] });
    expect(reached(pages, { days: 1, count: 1 }, midnight - 5, [1])).toEqual([1]);
  });

  it('keeps every page that a cap of 30 days needs', () => {
    for (const now of [NOON, NOON - 12 * HOUR, NOON + 12 * HOUR - 1]) {
      expect(Math.min(...cappingDays({ days: 30 }, now))).toBeGreaterThanOrEqual(firstDayNeeded(now));
    }
  });

  it('merges sends of a busy day, which then wait up to 6 minutes longer, and never counts too few', () => {
    const pages = new Pages();
    const every = 30_000;
    const start = Date.UTC(2026, 0, 10);
    const times = Array.from({ length: 2_880 }, (_, i) => start + i * every);
    times.forEach((at, i) => pages.add({ at, devices: [i % 2, 7] }));
    expect(pages.size).toBe(512);
    const before = (since: number): number => times.filter((at) => at > since).length;
    for (const now of [start + DAY + HOUR, start + DAY + 9 * HOUR + 1]) {
      const exact = before(now - DAY);
      expect(reached(pages, { days: 1, count: exact }, now, [7])).toEqual([7]);
      expect(reached(pages, { days: 1, count: before(now - DAY - 6 * 60_000) + 1 }, now, [7])).toEqual([]);
    }
    times.slice(0, 1_000).forEach((at) => pages.fail({ at, devices: [7] }));
    expect(reached(pages, { days: 30, count: 1_880 }, start + DAY, [7])).toEqual([7]);
    expect(reached(pages, { days: 30, count: 1_881 }, start + DAY, [7])).toEqual([]);
  });

  it('keeps the page of a day of many broadcasts below 2 MiB', () => {
    let page = emptyPage;
    // No runs, so that a set takes 8 KiB.
    const most = Bitmap.of(Array.from({ length: 32_768 }, (_, i) => i * 2));
    for (let i = 0; i < 300; i++) page = withSends(page, most, NOON + i * 1_000);
    const bytes = page.sends.reduce((sum, { digits }) => sum + digits.reduce((all, each) => all + each.length, 0), 0);
    expect(bytes).toBeLessThan(2 * 1024 * 1024);
    expect(page.sends.length).toBeGreaterThanOrEqual(64);
    const requested = Uint16Array.from({ length: 1_000 }, (_, i) => i);
    const at = NOON + HOUR;
    expect(devicesAtCap(requested, [page], { days: 1, count: 300 }, at).size).toBe(500);
    expect(devicesAtCap(requested, [page], { days: 1, count: 301 }, at).size).toBe(0);
  });
});
