import type { SendResult } from '@tidings/channels';
import { type Results, answered, merged } from '../batch-results.ts';

/** The dispatcher's memory of a slice (sending 4). Instants are milliseconds since 1970. */
export type Attempt = Claimed | Deferred | Settled;

interface Begun {
  /** When the slice was first claimed or deferred. */
  readonly claimedAt: number;
  /** What is final so far. */
  readonly results: Results;
}

/** Names one claim of a slice: the incarnation, and how often the slice had been claimed then. What is compared with each write. */
export interface Claim {
  readonly owner: string;
  readonly round: number;
}

/** A worker writes it to the wire, or did when it died. */
export interface Claimed extends Begun, Claim {
  readonly state: 'claimed';
  /** How it was deferred before; undefined for a slice on its first way. */
  readonly deferral: Deferral | undefined;
}

/**
 * It waits with all that its unanswered devices need; any worker takes it when it is due. Until then the worker that deferred it may
 * still add answers that come late.
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
}

/** The unanswered devices of a slice: a batch that holds only them, and how far each has come. */
export interface Deferral {
  /** An encoded SendBatch with one slice. */
  readonly batch: Uint8Array;
  /** Per device of the batch. */
  readonly progress: readonly Progress[];
  /** Until when all of them are held back: their credential is throttled or cannot be used. 0 = they are not. */
  readonly heldUntil: number;
  /** Until when the worker that deferred it waits for answers: nobody else need look at it before. 0 = it does not. */
  readonly answersUntil: number;
}

export interface Progress {
  /** Tries that failed in a retried way. */
  readonly tries: number;
  /** When it was first tried; 0 = it was not, and has only waited. Retries count from here (R-P1). */
  readonly firstTriedAt: number;
  /** When it may be tried next. */
  readonly dueAt: number;
  /** It has had its one repeat with new credentials. */
  readonly refreshed: boolean;
  /** It was written and may have been delivered: no answer has come. Where repeats are not masked it must not be written again. */
  readonly outcomeUnknown: boolean;
  /** What it fails with when its time is over (R-P1: the same category); undefined = it was never on the wire. */
  readonly last: SendResult | undefined;
}

/** A device that nothing was done for yet. */
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

/** What to do with a slice that a batch brings. */
export type ClaimResolution =
  | { readonly do: 'send'; readonly attempt: Claimed }
  /** Its outcome is known: publish it again. */
  | { readonly do: 'publish'; readonly attempt: Deferred | Settled }
  /** Another worker has it. */
  | { readonly do: 'drop' }
  /** Its worker died between claim and settlement: what was unanswered may have been sent (reliability 1). */
  | { readonly do: 'takeOver'; readonly attempt: Claimed };

/**
 * Decides over a slice of an arriving batch, given the attempt that was there before (undefined: the claim succeeded).
 * @param isHeld whether that attempt's owner lives and has the slice in hand
 */
export function resolveClaim(before: Attempt | undefined, mine: Claimed, isHeld: boolean): ClaimResolution {
  if (!before) return { do: 'send', attempt: mine };
  switch (before.state) {
    case 'settled':
    case 'deferred':
      return { do: 'publish', attempt: before };
    case 'claimed':
      if (isHeld) return { do: 'drop' };
      // Under the own claim nothing was written yet: its answer was lost.
      return before.owner === mine.owner ? { do: 'send', attempt: before } : { do: 'takeOver', attempt: before };
  }
}

/** Only the owner of a claim may end it: what each transition is compared with. */
const isOf = <S extends 'claimed' | 'deferred'>(
  attempt: Attempt | undefined,
  state: S,
  { owner, round }: Claim,
): attempt is Extract<Attempt, { state: S }> =>
  attempt?.state === state && attempt.owner === owner && attempt.round === round;

/** The claim in the hands of another worker, or undefined where it is not `from`'s any more. */
export const takenOver = (attempt: Attempt | undefined, from: string, to: string): Claimed | undefined =>
  attempt?.state === 'claimed' && attempt.owner === from
    ? { ...attempt, owner: to, round: attempt.round + 1 }
    : undefined;

/** Every device is answered; undefined where the claim is another one. */
export const settled = (
  attempt: Attempt | undefined,
  claim: Claim,
  results: Results,
  now: number,
): Settled | undefined =>
  isOf(attempt, 'claimed', claim)
    ? { state: 'settled', claimedAt: attempt.claimedAt, results, settledAt: now }
    : undefined;

/** Some devices wait; undefined where the claim is another one. */
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

/** Late answers are in, and some devices wait still; undefined where the slice has been claimed since. */
export const amended = (
  attempt: Attempt | undefined,
  claim: Claim,
  results: Results,
  deferral: Deferral,
): Deferred | undefined =>
  isOf(attempt, 'deferred', claim) ? { ...attempt, results, deferral, dueAt: dueOf(deferral) } : undefined;

/** The last late answer is in; undefined where the slice has been claimed since. */
export const finished = (
  attempt: Attempt | undefined,
  claim: Claim,
  results: Results,
  now: number,
): Settled | undefined =>
  isOf(attempt, 'deferred', claim)
    ? { state: 'settled', claimedAt: attempt.claimedAt, results, settledAt: now }
    : undefined;

/** A slice that waited and is due, claimed again; undefined where it is not due or somebody has it. */
export const woken = (attempt: Attempt | undefined, owner: string, now: number): Claimed | undefined =>
  attempt?.state === 'deferred' && attempt.dueAt <= now
    ? {
        state: 'claimed',
        owner,
        round: attempt.round + 1,
        claimedAt: attempt.claimedAt,
        results: attempt.results,
        deferral: attempt.deferral,
      }
    : undefined;

/** When the first of the devices may be tried. */
export const dueOf = ({ progress, heldUntil, answersUntil }: Deferral): number =>
  Math.max(heldUntil, answersUntil, Math.min(...progress.map(({ dueAt }) => dueAt)));

/** Results of an attempt with what a run of it added. Devices that had a result keep it. */
export function withResults(before: Results, added: Results): Results {
  const both = answered(before).intersect(answered(added));
  if (both.size > 0) throw new Error('a device was answered twice');
  return merged(before, added);
}
