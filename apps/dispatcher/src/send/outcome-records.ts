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

export interface OutcomeRecord extends OutRecord {
  readonly deadTokens?: Uint8Array;
  readonly isSettled: boolean;
  readonly hasResults: boolean;
  readonly attemptId?: string;
}

const RECHECK_MS = 60_000;
const BLOCKED_MS = 600_000;

export function outcomeRecord(
  batch: SendBatch,
  { number }: Slice,
  attempt: Settled | Deferred,
  now: number,
): OutcomeRecord {
  if (attempt.state === 'deferred')
    return partRecord(batch, number, attempt, { until: reportedDueAt(attempt, now), now });
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
  const until = Math.max(reportedDueAt(attempt, now), now + RECHECK_MS);
  return partRecord(batch, slice.number, attempt, { until, now });
}

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

/** A held-back slice is resumed when its credential is usable. */
const reportedDueAt = ({ dueAt, deferral }: Deferred, now: number): number =>
  deferral.blockedUntil > 0 || dueAt <= now ? Math.max(dueAt, now + BLOCKED_MS) : dueAt;
