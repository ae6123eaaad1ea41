import { expect, it } from '@jest/globals';
import { LeaseObserver } from './lease-observer.ts';

const LENGTH_MS = 10_000;
const HOUR_MS = 3_600_000;

function world() {
  let steady = 0;
  let [theirs, mine] = [1_800_000_000_000, 1_800_000_000_000];
  let until = 0;
  let isAlive = true;
  const observer = new LeaseObserver({ lengthMs: LENGTH_MS, steady: () => steady });
  const pass = (seconds: number): boolean => {
    let isOver = false;
    for (let second = 0; second < seconds; second++) {
      steady += 1_000;
      theirs += 1_000;
      mine += 1_000;
      if (isAlive && second % 2 === 0) until = theirs + LENGTH_MS;
      isOver = observer.isOver('a', until, mine);
    }
    return isOver;
  };
  return {
    pass,
    set: (whose: 'mine' | 'theirs' | 'both', ms: number): void => {
      if (whose !== 'mine') theirs += ms;
      if (whose !== 'theirs') mine += ms;
    },
    kill: () => void (isAlive = false),
  };
}

it.each(['mine', 'theirs', 'both'] as const)('seen leases keep a live process, whatever clock is set: %s', (whose) => {
  for (const ms of [HOUR_MS, -2 * HOUR_MS, 9 * HOUR_MS]) {
    const { pass, set } = world();
    expect(pass(5)).toBe(false);
    set(whose, ms);
    for (let i = 0; i < 30; i++) expect(pass(1)).toBe(false);
  }
});

it('seen leases end a dead process after a step back once its length has passed', () => {
  const { pass, set, kill } = world();
  pass(4);
  kill();
  expect(pass(8)).toBe(false);
  set('both', -HOUR_MS);
  expect(pass(1)).toBe(false);
  expect(pass(1)).toBe(true);
});

it('seen leases end a process at its time after half its length', () => {
  const { pass, kill } = world();
  pass(3);
  kill();
  expect(pass(9)).toBe(false);
  expect(pass(1)).toBe(true);
});

it('seen leases do not end a process for a step forward', () => {
  const { pass, set, kill } = world();
  pass(3);
  kill();
  set('both', HOUR_MS);
  expect(pass(4)).toBe(false);
  expect(pass(2)).toBe(true);
});
