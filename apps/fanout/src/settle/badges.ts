import { badgeIn, badgesOf, type PushKind, relativeBadge } from '@tidings/channels';
import { isSettled, recipientSetId } from '@tidings/delivery';
import type { SliceOutcome } from '@tidings/events';
import { Bitmap, sendIdOf, seqOf } from '@tidings/kernel';
import { type DeviceDocument, DEVICES } from '@tidings/registry-store';
import type { AnyBulkWriteOperation, ClientSession, Collection, Db, Filter, MongoClient } from 'mongodb';
import type { SliceStatusStore } from '../emit/slice-statuses.ts';
import type { OutgoingMessages } from '../release/outgoing.ts';

/** Plans of version 0.1.0 allotted no badges (R-C9). One transaction writes bases and status, so a repeat finds both or neither. */
export class Badges {
  readonly #db: Db;
  readonly #devices: Collection<DeviceDocument>;
  readonly #outgoing: OutgoingMessages;
  readonly #statuses: SliceStatusStore;

  constructor(db: Db, outgoing: OutgoingMessages, statuses: SliceStatusStore) {
    this.#db = db;
    this.#devices = db.collection<DeviceDocument>(DEVICES);
    this.#outgoing = outgoing;
    this.#statuses = statuses;
  }

  async settle(
    outcomes: readonly SliceOutcome[],
    isOld: (outcome: SliceOutcome) => boolean = () => true,
  ): Promise<readonly SliceOutcome[]> {
    const messages = await this.#outgoing.find([...new Set(outcomes.filter(isOld).map(sendIdOf))]);
    const others: SliceOutcome[] = [];
    const byRecipientSet = new Map<string, Map<number, Badged>>();
    for (const outcome of outcomes) {
      const { platform, variant } = outcome;
      const content = messages.get(sendIdOf(outcome))?.accepted.content;
      const kind = { platform, variant, content };
      const badges = badgesOf(kind);
      if (badges.every((badge) => badge === undefined) || outcome.outcome?.$case !== 'settled' || !isOld(outcome)) {
        others.push(outcome);
        continue;
      }
      const id = recipientSetId(outcome);
      const slices = byRecipientSet.get(id) ?? new Map<number, Badged>();
      byRecipientSet.set(id, slices.set(outcome.number, { outcome, kind, badges: new Set(badges) }));
    }
    for (const [id, slices] of byRecipientSet) await this.#settleSet(id, [...slices.values()]);
    return others;
  }

  /** Slices of a recipient set share a document, so they settle in turn. */
  async #settleSet(id: string, slices: readonly Badged[]): Promise<void> {
    await clientOf(this.#db).withSession((session) =>
      session.withTransaction(async () => {
        const statuses = (await this.#statuses.find([id], session)).get(id);
        const open = slices.filter(({ outcome }) => !isSettled(statuses, outcome.number));
        if (open.length === 0) return;
        await this.#statuses.record(
          open.map(({ outcome }) => outcome),
          session,
        );
        const writes: Write[] = [];
        for (const each of open) writes.push(...(await this.#writesOf(each, session)));
        if (writes.length > 0) await this.#devices.bulkWrite(writes, { ordered: true, session });
      }),
    );
  }

  async #writesOf({ outcome, kind, badges }: Badged, session: ClientSession): Promise<Write[]> {
    const seqs = sentIn(outcome);
    const [badge] = badges;
    if (badges.size === 1) return badge === undefined ? [] : writesOf(outcome, seqs, badge);
    const filter = { app: outcome.application, seq: { $in: seqs } };
    const options = { projection: { _id: 0, seq: 1, lang: 1 }, session };
    const devices = await this.#devices.find(filter, options).toArray();
    const byBadge = new Map<string, number[]>();
    for (const { seq, lang = '' } of devices) {
      const own = badgeIn(kind, lang);
      if (own !== undefined) byBadge.set(own, [...(byBadge.get(own) ?? []), seq]);
    }
    return [...byBadge].flatMap(([own, of]) => writesOf(outcome, of, own));
  }
}

interface Badged {
  readonly outcome: SliceOutcome;
  readonly kind: PushKind;
  readonly badges: ReadonlySet<string | undefined>;
}

type Write = AnyBulkWriteOperation<DeviceDocument>;

const clientOf = (db: Db): MongoClient => (db as Db & { readonly client: MongoClient }).client;

function sentIn({ outcome, chunk }: SliceOutcome): number[] {
  if (outcome?.$case !== 'settled') return [];
  return outcome.value.sent.flatMap(({ set }) =>
    Array.from(Bitmap.decode(set).positions(), (position) => seqOf(chunk, position)),
  );
}

function writesOf(outcome: SliceOutcome, seqs: readonly number[], badge: string): Write[] {
  if (seqs.length === 0) return [];
  const { application } = outcome;
  const message = sendIdOf(outcome);
  const filter = { app: application, seq: { $in: seqs }, status: 1 };
  const write = (update: object, also: object = {}): Write => ({
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
  // Increments come first: a device set to 0 would match them.
  const isBelow = { $or: [{ 'self.badge': { $lt: -by } }, { 'self.badge': { $exists: false } }] };
  return [write(add, { 'self.badge': { $gte: -by } }), write(set(0), isBelow)];
}
