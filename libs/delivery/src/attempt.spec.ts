import { describe, expect, it } from '@jest/globals';
import { type Attempt, claimed, deferred, meet, type Rest, settled, takenOver, withResults, woken } from './attempt.ts';
import { noResults, resultsOf } from './results.ts';
import { sent } from './verdicts.ts';

const results = resultsOf([
  { position: 1, platform: 1, hour: 5, displayable: true, verdict: sent, deadToken: undefined, since: undefined },
]);
const progress = (dueAt: number) => ({ tries: 1, dueAt, repaired: false, last: undefined });
const rest: Rest = { batch: new Uint8Array([1]), progress: [progress(900), progress(700)] };

const mine = claimed('me', 100, noResults);
const theirs = claimed('they', 50, noResults);
const resting: Attempt = { state: 'rest', claimedAt: 50, results, rest, dueAt: 700 };
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
    expect(settled(theirs, 'they', results, 80)).toEqual({ state: 'settled', claimedAt: 50, results, settledAt: 80 });
    expect(deferred(theirs, 'they', results, rest)).toEqual({ ...resting });
  });

  it('rests until the first of its devices is due', () => {
    expect(deferred(theirs, 'they', results, rest)?.dueAt).toBe(700);
  });

  it('is ended by nobody else, and only once', () => {
    for (const before of [theirs, resting, done, undefined]) {
      expect(settled(before, 'me', results, 80)).toBeUndefined();
      expect(deferred(before, 'me', results, rest)).toBeUndefined();
    }
    expect(settled(done, 'they', results, 80)).toBeUndefined();
  });

  it('changes hands once', () => {
    const taken = takenOver(theirs, 'they', 'me');
    expect(taken).toEqual({ ...theirs, owner: 'me' });
    expect(takenOver(taken, 'they', 'she')).toBeUndefined();
    expect(settled(taken, 'they', results, 80)).toBeUndefined();
  });
});

describe('a window that waits', () => {
  it('is claimed when due, keeping what it has', () => {
    expect(woken(resting, 'me', 700)).toEqual({ state: 'claimed', owner: 'me', claimedAt: 50, results, rest });
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
