import type { WindowOutcome } from '@tidings/events';
import { type Channel, ChunkSet, sendIdOf, seqOf } from '@tidings/kernel';
import type { AnyBulkWriteOperation, Collection, Db, Filter } from 'mongodb';
import { type DeviceDocument, DEVICES } from '../devices/document.ts';
import { badgeOf, relativeBadge } from './emit.ts';
import { isSettled, type Marks } from './marks.ts';
import { chunkKeyOfOutcome, marksId } from './keys.ts';
import type { OutgoingMessages } from './outgoing.ts';

/**
 * Makes the badge that a device was sent its new base (R-C9), once per device and message: `self.badgeOf` names the message (of `sendIdOf`) whose
 * badge the base is. Of windows that are settled already nothing is written, so that a late repeat of an old message does not count anew.
 */
export class Badges {
  readonly #devices: Collection<DeviceDocument>;
  readonly #outgoing: OutgoingMessages;
  readonly #marks: Marks;

  constructor(db: Db, outgoing: OutgoingMessages, marks: Marks) {
    this.#devices = db.collection<DeviceDocument>(DEVICES);
    this.#outgoing = outgoing;
    this.#marks = marks;
  }

  /** Takes outcomes that are not marked yet. */
  async sent(outcomes: readonly WindowOutcome[]): Promise<void> {
    const messages = await this.#outgoing.find([...new Set(outcomes.map(sendIdOf))]);
    const withBadge = outcomes.flatMap((outcome) => {
      const content = messages.get(sendIdOf(outcome))?.accepted.content;
      const badge = badgeOf(content, outcome.channel as Channel);
      return badge !== undefined && outcome.outcome?.$case === 'settled' ? [{ outcome, badge }] : [];
    });
    if (withBadge.length === 0) return;
    const idOf = (outcome: WindowOutcome): string => marksId(chunkKeyOfOutcome(outcome), outcome.channel);
    const marks = await this.#marks.find([...new Set(withBadge.map(({ outcome }) => idOf(outcome)))]);
    const writes = withBadge
      .filter(({ outcome }) => !isSettled(marks.get(idOf(outcome)), outcome.w))
      .flatMap(({ outcome, badge }) => writesOf(outcome, badge));
    if (writes.length > 0) await this.#devices.bulkWrite(writes, { ordered: true });
  }
}

function sentIn({ outcome, chunk }: WindowOutcome): number[] {
  if (outcome?.$case !== 'settled') return [];
  return outcome.value.sent.flatMap(({ set }) =>
    Array.from(ChunkSet.decode(set).positions(), (position) => seqOf(chunk, position)),
  );
}

function writesOf(outcome: WindowOutcome, badge: string): AnyBulkWriteOperation<DeviceDocument>[] {
  const seqs = sentIn(outcome);
  if (seqs.length === 0) return [];
  const { application } = outcome;
  const message = sendIdOf(outcome);
  const filter = { app: application, seq: { $in: seqs }, status: 1, 'self.badgeOf': { $ne: message } };
  const write = (update: object, also: object = {}): AnyBulkWriteOperation<DeviceDocument> => ({
    updateMany: {
      filter: { ...filter, ...also } as Filter<DeviceDocument>,
      update: update,
    },
  });
  const by = relativeBadge(badge);
  const set = (value: number): object => ({ $set: { 'self.badge': value, 'self.badgeOf': message } });
  if (by === undefined) return /^\d{1,9}$/.test(badge) ? [write(set(Number(badge)))] : [];
  const add = write({ $inc: { 'self.badge': by }, $set: { 'self.badgeOf': message } });
  // Never below 0: whoever has less is set to 0 first, and so no longer met by the second write.
  const belowZero = { $or: [{ 'self.badge': { $lt: -by } }, { 'self.badge': { $exists: false } }] };
  return by < 0 ? [write(set(0), belowZero), add] : [add];
}
