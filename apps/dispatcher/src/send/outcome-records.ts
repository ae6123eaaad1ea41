import {
  type Addressee,
  type Claimed,
  type Deferred,
  deferredOutcome,
  messageChunkKey,
  type Results,
  resultsIn,
  type Settled,
  settledOutcome,
  withoutTokens,
} from '@tidings/delivery';
import { type SendBatch, type Slice, SliceOutcome } from '@tidings/events';
import type { OutRecord } from '@tidings/streaming';

/** The record of an outcome, and the tokens that the provider has rejected in it, for a record of their own. */
export interface OutcomeRecord extends OutRecord {
  readonly deadTokens?: Uint8Array;
  /** Whether the slice is settled: no later outcome follows. */
  readonly isSettled: boolean;
  readonly hasResults: boolean;
  /** The settled slice whose deferral is kept until this is published, if it was deferred: its id. */
  readonly keptFor?: string;
}

/** A deferred slice that is delivered again is published as due after this time: the watchdog need not ask sooner. */
const ASK_AGAIN_MS = 60_000;
/** Delay of the watchdog for slices that are held back, or whose devices wait for their turn. */
const HELD_MS = 600_000;

export function outcomeRecord(
  batch: SendBatch,
  { number }: Slice,
  attempt: Settled | Deferred,
  now: number,
): OutcomeRecord {
  if (attempt.state === 'deferred') return partRecord(batch, number, attempt, { until: shownDueAt(attempt, now), now });
  const { results, claimedAt, settledAt } = attempt;
  const outcome = settledOutcome(addresseeOf(batch, number), results, new Date(claimedAt), new Date(settledAt));
  return recordOf(batch, outcome);
}

export function repeatedRecord(
  batch: SendBatch,
  slice: Slice,
  attempt: Settled | Deferred,
  now: number,
): OutcomeRecord {
  if (attempt.state === 'settled') return outcomeRecord(batch, slice, attempt, now);
  const until = Math.max(shownDueAt(attempt, now), now + ASK_AGAIN_MS);
  return partRecord(batch, slice.number, attempt, { until, now });
}

/** The results so far of a slice that is being sent: for the watchdog it is as alive as if it had just been emitted. */
export const progressRecord = (
  batch: SendBatch,
  { number }: Slice,
  { claimedAt }: Claimed,
  results: Results,
  now: number,
): OutcomeRecord => partRecord(batch, number, { claimedAt, results }, { until: now, now });

function partRecord(
  batch: SendBatch,
  number: number,
  { claimedAt, results }: Pick<Deferred, 'claimedAt' | 'results'>,
  { until, now }: { readonly until: number; readonly now: number },
): OutcomeRecord {
  const part = { results, claimedAt: new Date(claimedAt), until: new Date(until) };
  return recordOf(batch, deferredOutcome(addresseeOf(batch, number), part, new Date(now)));
}

const addresseeOf = (batch: SendBatch, number: number): Addressee => ({ ...batch, number });

function recordOf(batch: SendBatch, outcome: SliceOutcome): OutcomeRecord {
  const { facts, tokens } = withoutTokens(outcome);
  return {
    key: messageChunkKey(batch),
    value: SliceOutcome.encode(facts).finish(),
    isSettled: outcome.outcome?.$case === 'settled',
    hasResults: resultsIn(outcome) !== undefined,
    ...(tokens && { deadTokens: SliceOutcome.encode(tokens).finish() }),
  };
}

/**
 * When the watchdog may emit a slice again. A held-back slice is resumed when its credential is usable, and one whose devices wait for their turn when
 * they have it: a later time suffices.
 */
const shownDueAt = ({ dueAt, deferral }: Deferred, now: number): number =>
  deferral.heldUntil > 0 || dueAt <= now ? Math.max(dueAt, now + HELD_MS) : dueAt;
