import { type Attempt, columnsOf, type Deferral, sliceId, type SliceIdentity } from '@tidings/delivery';
import { SendBatch } from '@tidings/events';
import { Bitmap, Fault } from '@tidings/kernel';
import type { Attempts, DeviceAttempt, ProviderAnswer } from '@tidings/rpc';
import type { Collection } from 'mongodb';
import { type AttemptDocument, attemptOf } from './attempt-documents.ts';

const MAX_SLICES = 100;

function resultOf({ results }: Attempt, position: number): ProviderAnswer | undefined {
  const has = ({ set }: { readonly set: Uint8Array }): boolean => Bitmap.decode(set).has(position);
  if (results.sent.some(has)) return { category: 'SENT', code: '', name: '' };
  const failed = results.failed.find(has);
  return failed && { category: failed.category, code: failed.code, name: failed.name };
}

function progressOf(deferral: Deferral | undefined, position: number): DeviceAttempt['progress'] {
  if (!deferral) return undefined;
  const index = columnsOf(SendBatch.decode(deferral.batch)).positions.indexOf(position);
  const progress = deferral.progress[index];
  if (!progress) return undefined;
  const { tries, firstTriedAt, dueAt, last, outcomeUnknown } = progress;
  return {
    tries,
    dueAt: new Date(Math.max(dueAt, deferral.blockedUntil, deferral.answersUntil)),
    firstTriedAt: firstTriedAt > 0 ? new Date(firstTriedAt) : undefined,
    last: last && { category: last.category, code: last.code, name: last.name },
    outcomeUnknown,
  };
}

export const deviceAttempts = (attempts: Collection<AttemptDocument>): Attempts => ({
  async ofDevice({ message, application, chunk, position, slices }) {
    if (slices.length > MAX_SLICES) throw Fault.argument(`at most ${MAX_SLICES} slices`);
    const identityOf = (slice: (typeof slices)[number]): SliceIdentity => ({ ...slice, message, application, chunk });
    const byId = new Map(slices.map((slice) => [sliceId(identityOf(slice)), slice]));
    const found = await attempts.find({ _id: { $in: [...byId.keys()] } }).toArray();
    return {
      attempts: found.map((document): DeviceAttempt => {
        const attempt = attemptOf(document);
        return {
          slice: byId.get(document._id),
          channel: document.channel,
          state: attempt.state,
          rounds: document.round,
          claimedAt: document.claimedAt,
          settledAt: document.settledAt,
          result: resultOf(attempt, position),
          progress: attempt.state === 'settled' ? undefined : progressOf(attempt.deferral, position),
        };
      }),
    };
  },
});
