import { describe, expect, it } from '@jest/globals';
import { type Offsets, PastOffsets } from '@tidings/events';
import fc from 'fast-check';
import {
  isDueEverywhere,
  type LocalSchedule,
  nextDue,
  noSteps,
  offsetsDue,
  stepDue,
  type Steps,
  stepsAt,
} from './local-time.ts';

const HOUR_MS = 3_600_000;
const WALL = Date.UTC(2026, 2, 29, 2, 30);
const {
  PAST_OFFSETS_SEND_IMMEDIATELY: AT_ONCE,
  PAST_OFFSETS_NEXT_DAY: NEXT_DAY,
  PAST_OFFSETS_SKIP: SKIP,
} = PastOffsets;

const schedule = (hoursAhead: number, pastOffsets = AT_ONCE): LocalSchedule => ({
  localTime: { wallAt: new Date(WALL), defaultAt: new Date(WALL), pastOffsets },
  acceptedAt: new Date(WALL - hoursAhead * HOUR_MS),
});
const includes = (
  { ranges, without }: Offsets | undefined = { ranges: [], without: false },
  offset: number | undefined,
) => (offset === undefined ? without : ranges.some(({ from, to }) => offset >= from && offset <= to));
const evolved = (steps: Steps, count: number, at: Date): Steps => ({ ...steps, count, until: at });

const offset = fc.oneof(
  fc.integer({ min: -43_200, max: 50_400 }),
  fc.integer({ min: -48, max: 56 }).map((quarters) => quarters * 900),
);
const behaviour = fc.constantFrom(AT_ONCE, NEXT_DAY, SKIP);
const hours = fc.double({ min: -12, max: 40, noNaN: true });

describe('offsetsDue (R-I9)', () => {
  it.each([
    [-14, [14, 9]],
    [-9, [9]],
    [0, []],
  ])('is the local time %d hours after the time in UTC', (hoursLater, offsets) => {
    const at = new Date(WALL + hoursLater * HOUR_MS);
    const due = offsetsDue(schedule(30), new Date(at.getTime() - 1), at);
    expect(includes(due, -hoursLater * 3600)).toBe(true);
    for (const other of [14, 9, 5.5, -4].filter((each) => each !== -hoursLater)) {
      expect(includes(due, other * 3600)).toBe(false);
    }
    expect(due.without).toBe(offsets.length === 0);
  });

  it('covers every offset once, within half a minute of its time or at once', () => {
    fc.assert(
      fc.property(offset, hours, (of, hoursAhead) => {
        const of30 = schedule(hoursAhead);
        const found: number[] = [];
        let after: Date | undefined;
        for (let next = nextDue(of30, after); next; next = nextDue(of30, (after = next))) {
          if (includes(offsetsDue(of30, after, next), of)) found.push(next.getTime());
        }
        expect(found).toHaveLength(1);
        const due = Math.max(WALL - of * 1000, of30.acceptedAt.getTime());
        expect(Math.abs(found[0]! - due)).toBeLessThanOrEqual(30_000);
      }),
      { numRuns: 5 },
    );
  });

  it('depends only on the interval of the query', () => {
    fc.assert(
      fc.property(
        offset,
        hours,
        behaviour,
        fc.array(hours, { minLength: 1, maxLength: 6 }),
        (of, ahead, past, cuts) => {
          const local = schedule(ahead, past);
          const moments = cuts.toSorted((a, b) => a - b).map((hour) => new Date(WALL + (hour - 14) * HOUR_MS));
          const parts = [undefined, ...moments].map((after, i) => offsetsDue(local, after, moments[i]));
          const whole = includes(offsetsDue(local, undefined, undefined), of);
          expect(parts.filter((part) => includes(part, of))).toHaveLength(whole ? 1 : 0);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('past offsets (R-I9)', () => {
  // Accepted two hours before: the time has passed from UTC+02:00 on.
  const dueHours = (pastOffsets: PastOffsets, of: number | undefined) => {
    const local = schedule(2, pastOffsets);
    let after: Date | undefined;
    for (let next = nextDue(local, after); next; next = nextDue(local, (after = next))) {
      if (includes(offsetsDue(local, after, next), of)) return (next.getTime() - WALL) / HOUR_MS;
    }
    return undefined;
  };

  it.each([
    [AT_ONCE, { 9: -2, 2: -2, 1: -1, '-8': 8 }],
    [NEXT_DAY, { 9: 15, 2: 22, 1: -1, '-8': 8 }],
    [SKIP, { 9: undefined, 2: undefined, 1: -1, '-8': 8 }],
  ])('are due according to %s', (pastOffsets, expected) => {
    for (const [of, due] of Object.entries(expected)) expect(dueHours(pastOffsets, Number(of) * 3600)).toBe(due);
    expect(dueHours(pastOffsets, undefined)).toBe(0);
  });

  it('finds the next day also when that has passed for the easternmost clocks', () => {
    const local = schedule(-11, NEXT_DAY);
    expect(nextDue(local, undefined)!.getTime()).toBeGreaterThan(local.acceptedAt.getTime());
  });
});

describe('a time that has passed in every zone (R-I9, R-O1)', () => {
  const pastSchedule = (pastOffsets: PastOffsets) => schedule(-13, pastOffsets);

  it.each([
    [AT_ONCE, true],
    [NEXT_DAY, false],
    [SKIP, false],
  ])('means now, unless devices wait or are left out: %s', (pastOffsets, isNow) => {
    const { localTime, acceptedAt } = pastSchedule(pastOffsets);
    expect(isDueEverywhere(localTime, acceptedAt)).toBe(isNow);
    expect(isDueEverywhere(localTime, new Date(WALL))).toBe(false);
  });

  it('comes again the next day', () => {
    // At UTC+11:00 it is just then, for the second time.
    expect(nextDue(pastSchedule(NEXT_DAY), undefined)).toEqual(new Date(WALL + 13 * HOUR_MS + 60_000));
  });

  it('ends a message at once that excludes all devices', () => {
    const local = pastSchedule(SKIP);
    const at = nextDue(local, undefined)!;
    expect(at).toEqual(local.acceptedAt);
    const due = stepDue({ ...local, steps: noSteps }, { now: false, later: false }, at)!;
    const [step, ...more] = stepsAt(local, noSteps, { ...due, at });
    expect(step).toEqual({ bucket: 1, offsets: { ranges: [], without: false }, last: true });
    expect(more).toEqual([]);
    expect(nextDue(local, at)).toBeUndefined();
  });
});

describe('stepDue', () => {
  const at = new Date(WALL - 9 * HOUR_MS);
  const local = { ...schedule(30), steps: noSteps };
  const started = { ...local, steps: evolved(noSteps, 1, at) };

  it.each([
    ['releases what is due', local, { now: true, later: true }, { areDue: true, isLast: false }],
    ['ends with the last offset that occurs', started, { now: true, later: false }, { areDue: true, isLast: true }],
    ['waits for later offsets', local, { now: false, later: true }, undefined],
    ['ends when the later devices are gone', started, { now: false, later: false }, { areDue: false, isLast: true }],
    ['waits with an empty audience', local, { now: false, later: false }, undefined],
  ])('%s', (_, of, audience, expected) => expect(stepDue(of, audience, at)).toEqual(expected));

  it('ends with an empty audience if devices without offset are due, or never are', () => {
    const none = { now: false, later: false };
    expect(stepDue(local, none, new Date(WALL))).toEqual({ areDue: false, isLast: true });
    expect(stepDue({ ...schedule(-1, SKIP), steps: noSteps }, none, new Date(WALL + HOUR_MS))).toEqual({
      areDue: false,
      isLast: true,
    });
  });
});

describe('stepsAt', () => {
  const at = new Date(WALL - 9 * HOUR_MS);

  it('is one step for all if it is the only one', () => {
    expect(stepsAt(schedule(30), noSteps, { at, areDue: true, isLast: true })).toEqual([
      { bucket: 1, offsets: undefined, last: true },
    ]);
  });

  it('ends with a step for devices that have moved', () => {
    const earlier = evolved(noSteps, 3, new Date(at.getTime() - HOUR_MS));
    const [due, last, ...more] = stepsAt(schedule(30), earlier, { at, areDue: true, isLast: true });
    expect(due).toMatchObject({ bucket: 4, last: false, offsets: { ranges: [{ from: 32_370, to: 35_969 }] } });
    expect(last).toEqual({ bucket: 5, offsets: undefined, last: true });
    expect(more).toEqual([]);
  });

  it('has no step for devices that are due if none exist', () => {
    const earlier = evolved(noSteps, 3, new Date(at.getTime() - HOUR_MS));
    const steps = stepsAt(schedule(30), earlier, { at, areDue: false, isLast: true });
    expect(steps).toEqual([{ bucket: 4, offsets: undefined, last: true }]);
  });

  it('never includes a skipped offset', () => {
    const local = schedule(9, SKIP);
    const [only] = stepsAt(local, noSteps, {
      at: new Date(WALL + 12 * HOUR_MS),
      areDue: true,
      isLast: true,
    });
    expect(includes(only!.offsets, 9 * 3600)).toBe(false);
    expect(includes(only!.offsets, 8 * 3600)).toBe(true);
    expect(only!.offsets!.without).toBe(true);
  });

  it('is empty if nothing is due', () => {
    expect(stepsAt(schedule(30), evolved(noSteps, 1, at), { at, areDue: true, isLast: false })).toEqual([]);
  });
});
