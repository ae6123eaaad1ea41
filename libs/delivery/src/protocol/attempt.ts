import type { SendResult } from '@tidings/channels';
import { type Results, answered, merged } from '../batch-results.ts';

/** The dispatcher's memory of a slice (sending 4). Instants are milliseconds since 1970. */
export type Attempt = Claimed | Deferred | Settled;

interface Begun {
  /** Time of the first claim or deferral of the slice. */
  readonly claimedAt: number;
  /** The final results so far. */
  readonly results: Results;
}

/** Identifies one claim of a slice: the epoch, and the number of claims at that time. Every write is compared with it. */
export interface Claim {
  readonly owner: string;
  readonly round: number;
}

/** A worker is sending it, or was when it died. */
export interface Claimed extends Begun, Claim {
  readonly state: 'claimed';
  /** The previous deferral; undefined for a slice that was not deferred before. */
  readonly deferral: Deferral | undefined;
  /** Time of this claim of a deferred slice: the devices that were due then may have been sent to. */
  readonly resumedAt?: number | undefined;
}

/**
 * Deferred with all data of its unanswered devices; any worker takes it when it is due. Until then the worker that deferred it may add late answers.
 */
export interface Deferred extends Begun, Claim {
  readonly state: 'deferred';
  readonly dueAt: number;
  readonly deferral: Deferral;
}

/** Every device has its result. */
export interface Settled extends Begun {
  readonly state: 'settled';
  readonly settledAt: number;
  /** A slice that was deferred keeps this until its outcome is published, so that any worker can publish it. */
  readonly deferral?: Deferral | undefined;
}

/** The unanswered devices of a slice: a batch of only these devices, and the progress of each. */
export interface Deferral {
  /** An encoded SendBatch with one slice. */
  readonly batch: Uint8Array;
  /** Per device of the batch. */
  readonly progress: readonly Progress[];
  /** Time until which the slice is held back, by a throttle, an unusable credential or for fairness; 0 = not held back. */
  readonly heldUntil: number;
  /** Time until which the worker that deferred the slice awaits answers: no other worker resumes it before; 0 = none awaited. */
  readonly answersUntil: number;
}

export interface Progress {
  /** Number of failed tries that permit a retry. */
  readonly tries: number;
  /** Time of the first try, from which retries count (R-P1); 0 = the device has only waited. */
  readonly firstTriedAt: number;
  /** Earliest time of the next try. */
  readonly dueAt: number;
  /** Whether the device has had its one repeat with refreshed credentials. */
  readonly refreshed: boolean;
  /** Whether a push was written without an answer, and may have been delivered. Unless repeats are masked it must not be written again. */
  readonly outcomeUnknown: boolean;
  /** The result when the time is over (R-P1: the same category); undefined = nothing was written, and no connection failed for a named cause. */
  readonly last: SendResult | undefined;
}

/** A device without any try. */
export const untried: Progress = {
  tries: 0,
  firstTriedAt: 0,
  dueAt: 0,
  refreshed: false,
  outcomeUnknown: false,
  last: undefined,
};

export const claimed = (owner: string, now: number, results: Results): Claimed => ({
  state: 'claimed',
  owner,
  round: 1,
  claimedAt: now,
  results,
  deferral: undefined,
});

/** The action for a slice in a delivered batch. */
export type ClaimResolution =
  | { readonly do: 'send'; readonly attempt: Claimed }
  /** The outcome of the slice is known: publish it again. */
  | { readonly do: 'publish'; readonly attempt: Deferred | Settled }
  /** Another worker, in this epoch, has the slice. */
  | { readonly do: 'drop'; readonly owner: string }
  /** The worker of the slice died between claim and settlement: unanswered devices may have been sent to (reliability 1). */
  | { readonly do: 'takeOver'; readonly attempt: Claimed };

/**
 * Decides on a slice of a delivered batch, given the existing attempt (undefined: the claim succeeded).
 * @param isHeld whether that attempt's owner lives and has the slice in hand
 */
export function resolveClaim(before: Attempt | undefined, mine: Claimed, isHeld: boolean): ClaimResolution {
  if (!before) return { do: 'send', attempt: mine };
  switch (before.state) {
    case 'settled':
    case 'deferred':
      return { do: 'publish', attempt: before };
    case 'claimed':
      if (isHeld) return { do: 'drop', owner: before.owner };
      // Nothing was written under this claim yet: its answer was lost.
      return before.owner === mine.owner ? { do: 'send', attempt: before } : { do: 'takeOver', attempt: before };
  }
}

/** Only the owner of a claim may end it: every transition checks this. */
const isOf = <S extends 'claimed' | 'deferred'>(
  attempt: Attempt | undefined,
  state: S,
  { owner, round }: Claim,
): attempt is Extract<Attempt, { state: S }> =>
  attempt?.state === state && attempt.owner === owner && attempt.round === round;

/** The claim with another owner, or undefined if `from` no longer has it. */
export const takenOver = (attempt: Attempt | undefined, from: string, to: string): Claimed | undefined =>
  attempt?.state === 'claimed' && attempt.owner === from
    ? { ...attempt, owner: to, round: attempt.round + 1 }
    : undefined;

/** Every device has a result; undefined if the claim is another one. */
export const settled = (
  attempt: Attempt | undefined,
  claim: Claim,
  results: Results,
  now: number,
): Settled | undefined => (isOf(attempt, 'claimed', claim) ? settledFrom(attempt, results, now) : undefined);

/** Records the results so far of a slice that is being sent; undefined if the claim is another one. */
export const progressed = (attempt: Attempt | undefined, claim: Claim, results: Results): Claimed | undefined =>
  isOf(attempt, 'claimed', claim) ? { ...attempt, results } : undefined;

/** Some devices are deferred; undefined if the claim is another one. */
export const deferred = (
  attempt: Attempt | undefined,
  claim: Claim,
  results: Results,
  deferral: Deferral,
): Deferred | undefined =>
  isOf(attempt, 'claimed', claim)
    ? {
        state: 'deferred',
        owner: attempt.owner,
        round: attempt.round,
        claimedAt: attempt.claimedAt,
        results,
        deferral,
        dueAt: dueOf(deferral),
      }
    : undefined;

/** Adds late answers while some devices stay deferred; undefined if the slice has been claimed since. */
export const amended = (
  attempt: Attempt | undefined,
  claim: Claim,
  results: Results,
  deferral: Deferral,
): Deferred | undefined =>
  isOf(attempt, 'deferred', claim) ? { ...attempt, results, deferral, dueAt: dueOf(deferral) } : undefined;

/** Settles after the last late answer; undefined if the slice has been claimed since. */
export const finished = (
  attempt: Attempt | undefined,
  claim: Claim,
  results: Results,
  now: number,
): Settled | undefined => (isOf(attempt, 'deferred', claim) ? settledFrom(attempt, results, now) : undefined);

const settledFrom = ({ claimedAt, deferral }: Claimed | Deferred, results: Results, settledAt: number): Settled => ({
  state: 'settled',
  claimedAt,
  results,
  settledAt,
  deferral,
});

/** The outcome of a settled slice is published; undefined if the slice is not settled. */
export const published = (attempt: Attempt | undefined): Settled | undefined =>
  attempt?.state === 'settled' ? { ...attempt, deferral: undefined } : undefined;

/** A deferred slice that is due, claimed again; undefined if it is not due or claimed. */
export const resumed = (attempt: Attempt | undefined, owner: string, now: number): Claimed | undefined =>
  attempt?.state === 'deferred' && attempt.dueAt <= now
    ? {
        state: 'claimed',
        owner,
        round: attempt.round + 1,
        claimedAt: attempt.claimedAt,
        results: attempt.results,
        deferral: attempt.deferral,
        resumedAt: now,
      }
    : undefined;

/**
 * Makes a slice due whose time was stored before the clock was set back, devices included; undefined if it is due by `beyond`. One with outstanding answers
 * waits for these.
 */
export function dueAgain(
  attempt: Attempt | undefined,
  { beyond, now, answersForMs }: { readonly beyond: number; readonly now: number; readonly answersForMs: number },
): Deferred | undefined {
  if (attempt?.state !== 'deferred' || attempt.dueAt <= beyond) return undefined;
  const dueAt = attempt.deferral.answersUntil > 0 ? now + answersForMs : now;
  const progress = attempt.deferral.progress.map((each) => ({ ...each, dueAt: Math.min(each.dueAt, dueAt) }));
  return { ...attempt, dueAt, deferral: { ...attempt.deferral, progress, heldUntil: 0 } };
}

/** Time at which the first of the devices may be tried. */
export const dueOf = ({ progress, heldUntil, answersUntil }: Deferral): number =>
  Math.max(heldUntil, answersUntil, Math.min(...progress.map(({ dueAt }) => dueAt)));

/** Merges the results of a run into the results of an attempt. Devices with a result keep it. */
export function withResults(before: Results, added: Results): Results {
  const both = answered(before).intersect(answered(added));
  if (both.size > 0) throw new Error('a device was answered twice');
  return merged(before, added);
}
