import type { SliceOutcome } from '@tidings/events';
import { type Channel, Bitmap, sendIdOf, seqOf } from '@tidings/kernel';
import type { AnyBulkWriteOperation, Collection, Db, Filter, MongoClient } from 'mongodb';
import { type DeviceDocument, DEVICES } from '../devices/document.ts';
import { badgeOf, relativeBadge } from './emit.ts';
import { isSettled, type Marks } from './marks.ts';
import { chunkKeyOfOutcome, marksId } from './keys.ts';
import type { OutgoingMessages } from './outgoing.ts';

/**
 * Makes the badge that a device was sent its new base, once for each device and message (R-C9): the bases and the mark that the slice is settled are
 * written in one transaction, so a repeat finds the mark or neither. `self.badgeOf` names the message (of `sendIdOf`) whose badge the base is.
 */
export class Badges {
  readonly #db: Db;
  readonly #devices: Collection<DeviceDocument>;
  readonly #outgoing: OutgoingMessages;
  readonly #marks: Marks;

  constructor(db: Db, outgoing: OutgoingMessages, marks: Marks) {
    this.#db = db;
    this.#devices = db.collection<DeviceDocument>(DEVICES);
    this.#outgoing = outgoing;
    this.#marks = marks;
  }

  /** Marks those of the slices that have badges, with the badges; returns the outcomes that are not marked yet. Repeats change nothing. */
  async settle(outcomes: readonly SliceOutcome[]): Promise<readonly SliceOutcome[]> {
    const messages = await this.#outgoing.find([...new Set(outcomes.map(sendIdOf))]);
    const others: SliceOutcome[] = [];
    const byMarks = new Map<string, Map<number, Badged>>();
    for (const outcome of outcomes) {
      const badge = badgeOf(messages.get(sendIdOf(outcome))?.accepted.content, outcome.channel as Channel);
      if (badge === undefined || outcome.outcome?.$case !== 'settled') {
        others.push(outcome);
        continue;
      }
      const id = marksId(chunkKeyOfOutcome(outcome), outcome.channel);
      const slices = byMarks.get(id) ?? new Map<number, Badged>();
      byMarks.set(id, slices.set(outcome.w, { outcome, badge }));
    }
    for (const [id, slices] of byMarks) await this.#settleTogether(id, [...slices.values()]);
    return others;
  }

  /** One after another: two slices of a plan have their marks in one document. */
  async #settleTogether(id: string, slices: readonly Badged[]): Promise<void> {
    await clientOf(this.#db).withSession((session) =>
      session.withTransaction(async () => {
        const marks = (await this.#marks.find([id], session)).get(id);
        const open = slices.filter(({ outcome }) => !isSettled(marks, outcome.w));
        if (open.length === 0) return;
        await this.#marks.record(
          open.map(({ outcome }) => outcome),
          session,
        );
        const writes = open.flatMap(({ outcome, badge }) => writesOf(outcome, badge));
        if (writes.length > 0) await this.#devices.bulkWrite(writes, { ordered: true, session });
      }),
    );
  }
}

/** What became of a slice whose message has a badge. */
interface Badged {
  readonly outcome: SliceOutcome;
  readonly badge: string;
}

/** The client that a database was opened with, which its type does not tell. */
const clientOf = (db: Db): MongoClient => (db as Db & { readonly client: MongoClient }).client;

function sentIn({ outcome, chunk }: SliceOutcome): number[] {
  if (outcome?.$case !== 'settled') return [];
  return outcome.value.sent.flatMap(({ set }) =>
    Array.from(Bitmap.decode(set).positions(), (position) => seqOf(chunk, position)),
  );
}

function writesOf(outcome: SliceOutcome, badge: string): AnyBulkWriteOperation<DeviceDocument>[] {
  const seqs = sentIn(outcome);
  if (seqs.length === 0) return [];
  const { application } = outcome;
  const message = sendIdOf(outcome);
  const filter = { app: application, seq: { $in: seqs }, status: 1 };
  const write = (update: object, also: object = {}): AnyBulkWriteOperation<DeviceDocument> => ({
    updateMany: {
      filter: { ...filter, ...also } as Filter<DeviceDocument>,
      update: update,
    },
  });
  const by = relativeBadge(badge);
  const set = (value: number): object => ({ $set: { 'self.badge': value, 'self.badgeOf': message } });
  if (by === undefined) return /^\d{1,9}$/.test(badge) ? [write(set(Number(badge)))] : [];
  const add = { $inc: { 'self.badge': by }, $set: { 'self.badgeOf': message } };
  if (by >= 0) return [write(add)];
  // Never below 0. What is added comes first: whoever is set to 0 would be met by it, too.
  const isBelow = { $or: [{ 'self.badge': { $lt: -by } }, { 'self.badge': { $exists: false } }] };
  return [write(add, { 'self.badge': { $gte: -by } }), write(set(0), isBelow)];
}
