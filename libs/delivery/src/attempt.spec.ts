import { describe, expect, it } from '@jest/globals';
import {
  amended,
  type Attempt,
  claimed,
  deferred,
  finished,
  meet,
  type Rest,
  settled,
  takenOver,
  untried,
  withResults,
  woken,
} from './attempt.ts';
import { noResults, resultsOf } from './results.ts';
import { sent } from './send-results.ts';

const results = resultsOf([
  { position: 1, platform: 1, hour: 5, displayable: true, result: sent, deadToken: undefined, since: undefined },
]);
const progress = (dueAt: number) => ({ ...untried, tries: 1, dueAt });
const rest: Rest = {
  batch: new Uint8Array([1]),
  progress: [progress(900), progress(700)],
  heldUntil: 0,
  answersUntil: 0,
};
const my = { owner: 'me', round: 1 };
const their = { owner: 'they', round: 1 };

const mine = claimed('me', 100, noResults);
const theirs = claimed('they', 50, noResults);
const resting: Attempt = { state: 'rest', ...their, claimedAt: 50, results, rest, dueAt: 700 };
const done: Attempt = { state: 'settled', claimedAt: 50, results, settledAt: 60 };

const alive = true;
const dead = false;

describe('a window that a batch brings', () => {
  it('is sent when nobody had it', () => {
    expect(meet(undefined, mine, alive)).toEqual({ do: 'send', attempt: mine });
  });

  it('is sent when the claim is the own one, whose answer was lost', () => {
    const earlier = claimed('me', 90, noResults);
    expect(meet(earlier, mine, dead)).toEqual({ do: 'send', attempt: earlier });
  });

  it('is published again when it is settled', () => {
    expect(meet(done, mine, dead)).toEqual({ do: 'publish', attempt: done });
  });

  it('is published again when it waits, due or not', () => {
    expect(meet(resting, mine, dead)).toEqual({ do: 'publish', attempt: resting });
  });

  it('is dropped while its owner lives, also when that is the own worker', () => {
    expect(meet(theirs, mine, alive)).toEqual({ do: 'drop' });
    expect(meet(claimed('me', 90, noResults), mine, alive)).toEqual({ do: 'drop' });
  });

  it('is taken over when its owner is dead', () => {
    expect(meet(theirs, mine, dead)).toEqual({ do: 'takeOver', attempt: theirs });
  });
});

describe('a claim', () => {
  it('is ended by its owner', () => {
    expect(settled(theirs, their, results, 80)).toEqual({ state: 'settled', claimedAt: 50, results, settledAt: 80 });
    expect(deferred(theirs, their, results, rest)).toEqual({ ...resting });
  });

  it('rests until the first of its devices is due', () => {
    expect(deferred(theirs, their, results, rest)?.dueAt).toBe(700);
    expect(deferred(theirs, their, results, { ...rest, heldUntil: 800 })?.dueAt).toBe(800);
    expect(deferred(theirs, their, results, { ...rest, answersUntil: 850 })?.dueAt).toBe(850);
  });

  it('is ended by nobody else, and only once', () => {
    for (const before of [theirs, resting, done, undefined]) {
      expect(settled(before, my, results, 80)).toBeUndefined();
      expect(deferred(before, my, results, rest)).toBeUndefined();
    }
    expect(settled(done, their, results, 80)).toBeUndefined();
  });

  it('changes hands once', () => {
    const taken = takenOver(theirs, 'they', 'me');
    expect(taken).toEqual({ ...theirs, owner: 'me', round: 2 });
    expect(takenOver(taken, 'they', 'she')).toBeUndefined();
    expect(settled(taken, their, results, 80)).toBeUndefined();
  });
});

describe('a late answer', () => {
  const fewer: Rest = { ...rest, progress: [progress(900)] };

  it('is added to the window at rest by the claim that rested', () => {
    expect(amended(resting, their, results, fewer)).toEqual({ ...resting, rest: fewer, dueAt: 900 });
    expect(finished(resting, their, results, 80)).toEqual({ state: 'settled', claimedAt: 50, results, settledAt: 80 });
  });

  it('comes to nothing where the window has been claimed since, by the same worker too', () => {
    const again = woken(resting, 'they', 700)!;
    const rested = deferred(again, again, results, rest);
    for (const before of [again, rested, done, undefined]) {
      expect(amended(before, their, results, fewer)).toBeUndefined();
      expect(finished(before, their, results, 80)).toBeUndefined();
    }
  });
});

describe('a window that waits', () => {
  it('is claimed when due, keeping what it has', () => {
    expect(woken(resting, 'me', 700)).toEqual({
      ...{ state: 'claimed', owner: 'me', round: 2 },
      ...{ claimedAt: 50, results, rest },
    });
  });

  it('is not claimed before, nor twice', () => {
    expect(woken(resting, 'me', 699)).toBeUndefined();
    expect(woken(woken(resting, 'me', 700), 'she', 700)).toBeUndefined();
    expect(woken(done, 'me', 700)).toBeUndefined();
  });
});

describe('results', () => {
  it('are added to those before', () => {
    expect(withResults(noResults, results)).toEqual(results);
  });

  it('are given once for each device', () => {
    expect(() => withResults(results, results)).toThrow();
  });
});
