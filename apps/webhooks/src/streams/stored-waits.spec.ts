import { beforeEach, describe, expect, it } from '@jest/globals';
import { TestClock } from '@tidings/testing';
import { restoredEvents, storedEvents } from './stored-waits.ts';
import { ANSWER_MS, LONGEST_WAIT_MS, UnackedEvents } from './unacked.ts';

describe('stored waits', () => {
  let clock: TestClock;
  beforeEach(() => {
    clock = new TestClock();
    clock.step(100);
  });

  /** Lets seconds pass and sets the clock between storing and restoring. */
  const leftAfter = (waitS: number, { passed = 0, set = 0 }): number => {
    const events = new UnackedEvents();
    const event = { n: 1, e: 0, d: 0, key: 'a', failures: 1, enqueuedAt: clock.now() };
    events.add({ ...event, at: clock.steady() + waitS * 1000 });
    const stored = storedEvents(clock, events.all());
    clock.advance(passed);
    clock.step(set);
    return (restoredEvents(clock, stored)[0]!.at - clock.steady()) / 1000;
  };

  it('last as long as before', () => {
    expect(leftAfter(60, {})).toBe(60);
    expect(leftAfter(60, { passed: 20 })).toBe(40);
    expect(leftAfter(60, { passed: 61 })).toBe(0);
    expect(leftAfter(-5, {})).toBe(0);
  });

  it('never last longer than the longest one, and are over if the clock was set back or forward', () => {
    expect(leftAfter(60, { set: -7_200 })).toBe(0);
    expect(leftAfter(60, { set: 7_200 })).toBe(0);
    expect(leftAfter(30, { set: -20 })).toBeLessThanOrEqual(LONGEST_WAIT_MS / 1000);
  });

  it('are over for events in flight', () => {
    const events = new UnackedEvents();
    events.add({ n: 1, e: 0, d: 0, key: 'a', failures: 0, at: 0, enqueuedAt: clock.now() });
    events.sent(events.dueEvents(clock.steady())[0]!, 'u', clock.steady(), ANSWER_MS);
    expect(storedEvents(clock, events.all())).toMatchObject([{ at: 0 }]);
  });
});
