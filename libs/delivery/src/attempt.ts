import { answered, merged, type Results } from './results.ts';
import type { Verdict } from './verdicts.ts';

/** The dispatcher's memory of a window (sending 4). Instants are milliseconds since 1970. */
export type Attempt = Claimed | Resting | Settled;

interface Begun {
  /** When the window was first claimed. */
  readonly claimedAt: number;
  /** What is final so far. */
  readonly results: Results;
}

/** A worker writes it to the wire, or did when it died. */
export interface Claimed extends Begun {
  readonly state: 'claimed';
  /** The incarnation that claimed it. */
  readonly owner: string;
  /** What it rested with before; undefined for a window on its first way. */
  readonly rest: Rest | undefined;
}

/** It waits with all that its unanswered devices need; any worker takes it when it is due. */
export interface Resting extends Begun {
  readonly state: 'rest';
  readonly dueAt: number;
  readonly rest: Rest;
}

/** Every device has its result. */
export interface Settled extends Begun {
  readonly state: 'settled';
  readonly settledAt: number;
}

/** The unanswered devices of a window: a batch that holds only them, and how far each has come. */
export interface Rest {
  /** An encoded SendBatch with one window. */
  readonly batch: Uint8Array;
  /** Per device of the batch. */
  readonly progress: readonly Progress[];
}

export interface Progress {
  /** Tries that failed in a retried way. */
  readonly tries: number;
  /** When it may be tried next. */
  readonly dueAt: number;
  /** It has had its one repeat with new credentials. */
  readonly repaired: boolean;
  /** What it fails with when its time is over (R-P1: the same category); undefined = it was never on the wire. */
  readonly last: Verdict | undefined;
}

export const claimed = (owner: string, now: number, results: Results): Claimed => ({
  state: 'claimed',
  owner,
  claimedAt: now,
  results,
  rest: undefined,
});

/** What to do with a window that a batch brings. */
export type Meeting =
  | { readonly do: 'send'; readonly attempt: Claimed }
  /** Its outcome is known: publish it again. */
  | { readonly do: 'publish'; readonly attempt: Resting | Settled }
  /** Another worker has it. */
  | { readonly do: 'drop' }
  /** Its worker died between claim and settlement: what was unanswered may have been sent (reliability 1). */
  | { readonly do: 'takeOver'; readonly attempt: Claimed };

/**
 * Decides over a window of an arriving batch, given the attempt that was there before (undefined: the claim succeeded).
 * @param isHeld whether that attempt's owner lives and has the window in hand
 */
export function meet(before: Attempt | undefined, mine: Claimed, isHeld: boolean): Meeting {
  if (!before) return { do: 'send', attempt: mine };
  switch (before.state) {
    case 'settled':
    case 'rest':
      return { do: 'publish', attempt: before };
    case 'claimed':
      if (isHeld) return { do: 'drop' };
      // Under the own claim nothing was written yet: its answer was lost.
      return before.owner === mine.owner ? { do: 'send', attempt: before } : { do: 'takeOver', attempt: before };
  }
}

/** Only the owner of a claim may end it: what each transition is compared with. */
const isOwn = (attempt: Attempt | undefined, owner: string): attempt is Claimed =>
  attempt?.state === 'claimed' && attempt.owner === owner;

/** The claim in the hands of another worker, or undefined where it is not `from`'s any more. */
export const takenOver = (attempt: Attempt | undefined, from: string, to: string): Claimed | undefined =>
  isOwn(attempt, from) ? { ...attempt, owner: to } : undefined;

/** Every device is answered; undefined where the claim is not `owner`'s. */
export const settled = (
  attempt: Attempt | undefined,
  owner: string,
  results: Results,
  now: number,
): Settled | undefined =>
  isOwn(attempt, owner) ? { state: 'settled', claimedAt: attempt.claimedAt, results, settledAt: now } : undefined;

/** Some devices wait; undefined where the claim is not `owner`'s. */
export const deferred = (
  attempt: Attempt | undefined,
  owner: string,
  results: Results,
  rest: Rest,
): Resting | undefined =>
  isOwn(attempt, owner)
    ? { state: 'rest', claimedAt: attempt.claimedAt, results, rest, dueAt: dueOf(rest) }
    : undefined;

/** A window that waited and is due, claimed again; undefined where it is not due or somebody has it. */
export const woken = (attempt: Attempt | undefined, owner: string, now: number): Claimed | undefined =>
  attempt?.state === 'rest' && attempt.dueAt <= now
    ? { state: 'claimed', owner, claimedAt: attempt.claimedAt, results: attempt.results, rest: attempt.rest }
    : undefined;

/** When the first of the devices may be tried. */
export const dueOf = ({ progress }: Rest): number => Math.min(...progress.map(({ dueAt }) => dueAt));

/** Results of an attempt with what a run of it added. Devices that had a result keep it. */
export function withResults(before: Results, added: Results): Results {
  const both = answered(before).intersect(answered(added));
  if (both.size > 0) throw new Error('a device was answered twice');
  return merged(before, added);
}
