import { describe, expect, it } from '@jest/globals';
import {
  amended,
  type Attempt,
  claimed,
  deferred,
  finished,
  published,
  resolveClaim,
  type Deferral,
  settled,
  takenOver,
  untried,
  withResults,
  resumed,
} from './attempt.ts';
import { sent } from '@tidings/channels';
import { noResults, resultsOf } from '../batch-results.ts';

const results = resultsOf([
  { position: 1, platform: 1, hour: 5, displayable: true, result: sent, deadToken: undefined, since: undefined },
]);
const progress = (dueAt: number) => ({ ...untried, tries: 1, dueAt });
const deferral: Deferral = {
  batch: new Uint8Array([1]),
  progress: [progress(900), progress(700)],
  blockedUntil: 0,
  answersUntil: 0,
};
const my = { owner: 'me', round: 1 };
const their = { owner: 'they', round: 1 };

const mine = claimed('me', 100, noResults);
const theirs = claimed('they', 50, noResults);
const waiting: Attempt = { state: 'deferred', ...their, claimedAt: 50, results, deferral, dueAt: 700 };
const done: Attempt = { state: 'settled', claimedAt: 50, results, settledAt: 60 };

const alive = true;
const dead = false;

describe('a slice in a delivered batch', () => {
  it('is sent when it is unclaimed', () => {
    expect(resolveClaim(undefined, mine, alive)).toEqual({ do: 'send', attempt: mine });
  });

  it('is sent if this claim exists already because its answer was lost', () => {
    const earlier = claimed('me', 90, noResults);
    expect(resolveClaim(earlier, mine, dead)).toEqual({ do: 'send', attempt: earlier });
  });

  it('is published again when it is settled', () => {
    expect(resolveClaim(done, mine, dead)).toEqual({ do: 'publish', attempt: done });
  });

  it('is published again when it is deferred, due or not', () => {
    expect(resolveClaim(waiting, mine, dead)).toEqual({ do: 'publish', attempt: waiting });
  });

  it('is dropped while its owner lives, even if that is the same worker', () => {
    expect(resolveClaim(theirs, mine, alive)).toEqual({ do: 'drop', owner: theirs.owner });
    expect(resolveClaim(claimed('me', 90, noResults), mine, alive)).toEqual({ do: 'drop', owner: 'me' });
  });

  it('is taken over when its owner is dead', () => {
    expect(resolveClaim(theirs, mine, dead)).toEqual({ do: 'takeOver', attempt: theirs });
  });
});

describe('a claim', () => {
  it('is ended by its owner', () => {
    expect(settled(theirs, their, results, 80)).toEqual({ state: 'settled', claimedAt: 50, results, settledAt: 80 });
    expect(deferred(theirs, their, results, deferral)).toEqual({ ...waiting });
  });

  it('is deferred until the first of its devices is due', () => {
    expect(deferred(theirs, their, results, deferral)?.dueAt).toBe(700);
    expect(deferred(theirs, their, results, { ...deferral, blockedUntil: 800 })?.dueAt).toBe(800);
    expect(deferred(theirs, their, results, { ...deferral, answersUntil: 850 })?.dueAt).toBe(850);
  });

  it('is ended by no other owner, and only once', () => {
    for (const before of [theirs, waiting, done, undefined]) {
      expect(settled(before, my, results, 80)).toBeUndefined();
      expect(deferred(before, my, results, deferral)).toBeUndefined();
    }
    expect(settled(done, their, results, 80)).toBeUndefined();
  });

  it('changes owners once', () => {
    const takeover = takenOver(theirs, 'they', 'me');
    expect(takeover).toEqual({ ...theirs, owner: 'me', round: 2 });
    expect(takenOver(takeover, 'they', 'she')).toBeUndefined();
    expect(settled(takeover, their, results, 80)).toBeUndefined();
  });
});

describe('a late answer', () => {
  const fewer: Deferral = { ...deferral, progress: [progress(900)] };

  it('is added to the deferred slice by the claim that deferred it', () => {
    expect(amended(waiting, their, results, fewer)).toEqual({ ...waiting, deferral: fewer, dueAt: 900 });
    expect(finished(waiting, their, results, 80)).toEqual({ ...done, settledAt: 80, deferral });
  });

  it('has no effect if the slice has been claimed since, even by the same worker', () => {
    const again = resumed(waiting, 'they', 700)!;
    const deferredAgain = deferred(again, again, results, deferral);
    for (const before of [again, deferredAgain, done, undefined]) {
      expect(amended(before, their, results, fewer)).toBeUndefined();
      expect(finished(before, their, results, 80)).toBeUndefined();
    }
  });
});

describe('a deferred slice', () => {
  it('keeps its deferral when it is settled, until its outcome is published', () => {
    const again = resumed(waiting, 'me', 700)!;
    const ended = settled(again, again, results, 800);
    expect(ended).toEqual({ ...done, settledAt: 800, deferral });
    expect(published(ended)).toEqual({ ...done, settledAt: 800 });
    for (const before of [waiting, again, theirs, undefined]) expect(published(before)).toBeUndefined();
  });

  it('is claimed when due, and keeps its results', () => {
    expect(resumed(waiting, 'me', 700)).toEqual({
      state: 'claimed',
      owner: 'me',
      round: 2,
      claimedAt: 50,
      results,
      deferral,
      resumedAt: 700,
    });
  });

  it('is not claimed before its due time, nor twice', () => {
    expect(resumed(waiting, 'me', 699)).toBeUndefined();
    expect(resumed(resumed(waiting, 'me', 700), 'she', 700)).toBeUndefined();
    expect(resumed(done, 'me', 700)).toBeUndefined();
  });
});

describe('results', () => {
  it('are added to the previous ones', () => {
    expect(withResults(noResults, results)).toEqual(results);
  });

  it('are given once for each device', () => {
    expect(() => withResults(results, results)).toThrow();
  });
});
