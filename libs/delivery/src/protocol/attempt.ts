import type { SendResult } from '@tidings/channels';
import { type Results, answered, merged } from '../batch-results.ts';

/** Instants are milliseconds since 1970. */
export type Attempt = Claimed | Deferred | Settled;

interface AttemptBase {
  readonly claimedAt: number;
  readonly results: Results;
}

export interface Claim {
  readonly owner: string;
  readonly round: number;
}

export interface Claimed extends AttemptBase, Claim {
  readonly state: 'claimed';
  readonly deferral: Deferral | undefined;
  readonly resumedAt?: number | undefined;
}

/** Until it is due, the worker that deferred it may add late answers. */
export interface Deferred extends AttemptBase, Claim {
  readonly state: 'deferred';
  readonly dueAt: number;
  readonly deferral: Deferral;
}

export interface Settled extends AttemptBase {
  readonly state: 'settled';
  readonly settledAt: number;
  /** Kept until the outcome is published, so that any worker can publish it. */
  readonly deferral?: Deferral | undefined;
}

export interface Deferral {
  readonly batch: Uint8Array;
  readonly progress: readonly Progress[];
  readonly blockedUntil: number;
  /** No other worker resumes the slice before this time; 0 = none awaited. */
  readonly answersUntil: number;
}

export interface Progress {
  readonly tries: number;
  /** 0 = the device has only waited. */
  readonly firstTriedAt: number;
  readonly dueAt: number;
  readonly refreshed: boolean;
  /** An unanswered push is not written again unless repeats are masked. */
  readonly outcomeUnknown: boolean;
  readonly last: SendResult | undefined;
}

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

export type ClaimResolution =
  | { readonly do: 'send'; readonly attempt: Claimed }
  | { readonly do: 'publish'; readonly attempt: Deferred | Settled }
  | { readonly do: 'drop'; readonly owner: string }
  /** The worker died between claim and settlement: unanswered devices may have been sent to (reliability 1). */
  | { readonly do: 'takeOver'; readonly attempt: Claimed };

export function resolveClaim(before: Attempt | undefined, mine: Claimed, isOwnerAlive: boolean): ClaimResolution {
  if (!before) return { do: 'send', attempt: mine };
  switch (before.state) {
    case 'settled':
    case 'deferred':
      return { do: 'publish', attempt: before };
    case 'claimed':
      if (isOwnerAlive) return { do: 'drop', owner: before.owner };
      // Nothing was written under a claim whose answer was lost.
      return before.owner === mine.owner ? { do: 'send', attempt: before } : { do: 'takeOver', attempt: before };
  }
}

/** Only the owner of a claim may end it. */
const isOf = <S extends 'claimed' | 'deferred'>(
  attempt: Attempt | undefined,
  state: S,
  { owner, round }: Claim,
): attempt is Extract<Attempt, { state: S }> =>
  attempt?.state === state && attempt.owner === owner && attempt.round === round;

export const takenOver = (attempt: Attempt | undefined, from: string, to: string): Claimed | undefined =>
  attempt?.state === 'claimed' && attempt.owner === from
    ? { ...attempt, owner: to, round: attempt.round + 1 }
    : undefined;

export const settled = (
  attempt: Attempt | undefined,
  claim: Claim,
  results: Results,
  now: number,
): Settled | undefined => (isOf(attempt, 'claimed', claim) ? settledFrom(attempt, results, now) : undefined);

export const progressed = (attempt: Attempt | undefined, claim: Claim, results: Results): Claimed | undefined =>
  isOf(attempt, 'claimed', claim) ? { ...attempt, results } : undefined;

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

export const amended = (
  attempt: Attempt | undefined,
  claim: Claim,
  results: Results,
  deferral: Deferral,
): Deferred | undefined =>
  isOf(attempt, 'deferred', claim) ? { ...attempt, results, deferral, dueAt: dueOf(deferral) } : undefined;

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

export const published = (attempt: Attempt | undefined): Settled | undefined =>
  attempt?.state === 'settled' ? { ...attempt, deferral: undefined } : undefined;

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

export function dueAgain(
  attempt: Attempt | undefined,
  { beyond, now, answersForMs }: { readonly beyond: number; readonly now: number; readonly answersForMs: number },
): Deferred | undefined {
  if (attempt?.state !== 'deferred' || attempt.dueAt <= beyond) return undefined;
  const dueAt = attempt.deferral.answersUntil > 0 ? now + answersForMs : now;
  const progress = attempt.deferral.progress.map((each) => ({ ...each, dueAt: Math.min(each.dueAt, dueAt) }));
  return { ...attempt, dueAt, deferral: { ...attempt.deferral, progress, blockedUntil: 0 } };
}

export const dueOf = ({ progress, blockedUntil, answersUntil }: Deferral): number =>
  Math.max(blockedUntil, answersUntil, Math.min(...progress.map(({ dueAt }) => dueAt)));

/** Devices with a result keep it. */
export function withResults(before: Results, added: Results): Results {
  const both = answered(before).intersect(answered(added));
  if (both.size > 0) throw new Error('a device was answered twice');
  return merged(before, added);
}
