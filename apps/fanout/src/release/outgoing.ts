import { sharedWrites } from '@tidings/coordination';
import type { MessageEvent } from '@tidings/events';
import { type Clock, sendIdOf, SizedEntries } from '@tidings/kernel';
import { findAll, isTransient, type Update, updateAll } from '@tidings/mongo';
import { codeIn, LATE_MS, OUTGOING, type OutgoingDocument, type RemovedDocument } from '@tidings/registry-store';
import type { Lookup } from '@tidings/segments';
import type { Collection, Db } from 'mongodb';
import {
  orderIn,
  inboxOrderOf,
  releasedOf,
  separateSteps,
  stepOf,
  stepWrite,
  stopWritesOf,
  withReleases,
  writesOf,
} from './outgoing-events.ts';
import { isRated, isReleased, type Outgoing, outgoingOf, type Released } from './outgoing-message.ts';
import { sizeOf } from './size-of.ts';

const CACHED = 500;
const CACHED_BYTES = 64 * 1024 * 1024;
/** Steps released by version 0.1.0 are marked in this time; later is too late. */
const MARKED_WITHIN_MS = 24 * 3_600_000;

export class OutgoingMessages {
  readonly #db: Db;
  readonly #messages: Collection<OutgoingDocument>;
  readonly #clock: Clock;
  /** Contents are immutable. */
  readonly #cache = new SizedEntries<Outgoing>({ atMost: CACHED, maxBytes: CACHED_BYTES });

  readonly store: (events: readonly MessageEvent[]) => Promise<void>;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#messages = db.collection<OutgoingDocument>(OUTGOING);
    this.store = sharedWrites((events) => this.#store(events), { mayBeOneItem: (error) => !isTransient(error) });
  }

  async #store(events: readonly MessageEvent[]): Promise<void> {
    const [steps, others] = separateSteps(events);
    await updateAll<OutgoingDocument>(this.#db, OUTGOING, withReleases(others.flatMap(writesOf)), { ordered: true });
    if (steps.length > 0) await this.#storeSteps(steps);
    const stops = stopWritesOf(others);
    if (stops.length > 0) await updateAll<OutgoingDocument>(this.#db, OUTGOING, stops);
  }

  async #storeSteps(steps: readonly MessageEvent[]): Promise<void> {
    const messages = await this.find(steps.map(({ code }) => code));
    const stepped = steps.flatMap((event) => {
      const message = messages.get(event.code);
      return message ? [stepWrite(event, message)] : [];
    });
    await updateAll<OutgoingDocument>(this.#db, OUTGOING, stepped);
  }

  async released(events: readonly MessageEvent[]): Promise<readonly Released[]> {
    const found: Released[] = [];
    const missing = new Map<string, MessageEvent>();
    const [steps, others] = separateSteps(events);
    for (const each of others) {
      const { code, at, event } = each;
      if (event?.$case === 'joined') found.push(this.#cacheReleased(releasedOf(each, event.value.message!, at!)));
      if (event?.$case !== 'released') continue;
      const accepted = events.find((other) => other.code === code && other.event?.$case === 'accepted');
      if (accepted?.event?.$case !== 'accepted') missing.set(code, each);
      else if (!accepted.event.value.openUntil)
        found.push(this.#cacheReleased(releasedOf(accepted, accepted.event.value, at!, orderIn(each))));
    }
    for (const [code, message] of await this.find([...missing.keys()])) {
      // The release itself may not be stored yet.
      const release = missing.get(code)!;
      const inboxOrder = inboxOrderOf(message, orderIn(release));
      found.push(this.#cacheReleased({ ...message, inboxOrder, releasedAt: message.releasedAt ?? release.at! }));
    }
    return [...found, ...(await this.#steps(steps, events))];
  }

  async #steps(steps: readonly MessageEvent[], events: readonly MessageEvent[]): Promise<Released[]> {
    if (steps.length === 0) return [];
    const accepted = new Map(
      events.flatMap((each) =>
        each.event?.$case === 'accepted' ? [[each.code, releasedOf(each, each.event.value, each.at!)]] : [],
      ),
    );
    const stored = await this.find(steps.map(({ code }) => code).filter((code) => !accepted.has(code)));
    return steps.flatMap((each) => {
      const message = accepted.get(each.code) ?? stored.get(each.code);
      const step = each.event?.$case === 'released' ? each.event.value.step : undefined;
      return message && step ? [this.#cacheReleased(stepOf(each, message, step, each.at!))] : [];
    });
  }

  async find(ids: readonly string[]): Promise<ReadonlyMap<string, Outgoing>> {
    const found = new Map<string, Outgoing>();
    const missing = new Set<string>();
    const now = new Date(this.#clock.now());
    for (const id of ids) {
      const cached = this.#cache.get(id);
      if (!cached) missing.add(id);
      else if (cached.expireAt > now) found.set(id, cached);
    }
    if (missing.size > 0) {
      const stored = await findAll<OutgoingDocument>(this.#db, OUTGOING, {
        _id: { $in: [...missing] },
        expireAt: { $gt: now },
      });
      const stepped = stored.filter(({ accepted }) => !accepted).map(({ _id }) => codeIn(_id));
      const messages = stepped.length > 0 ? await this.find([...new Set(stepped)]) : new Map<string, Outgoing>();
      for (const each of stored) {
        const message = outgoingOf(each, messages.get(codeIn(each._id)));
        if (message) found.set(each._id, this.#cacheReleased(message));
      }
    }
    return found;
  }

  /** The cache may hold a message that another process has purged (R-B2). */
  async hasStored(ids: readonly string[]): Promise<boolean> {
    const unexpired = { _id: { $in: [...ids] }, expireAt: { $gt: new Date(this.#clock.now()) } };
    return (await this.#messages.findOne(unexpired, { projection: { _id: 1 } })) !== null;
  }

  #cacheReleased<M extends Outgoing>(message: M): M {
    if (!isReleased(message)) return message;
    const { accepted: content } = message;
    this.#cache.set(sendIdOf(message), message, { content, bytes: sizeOf(content) });
    return message;
  }

  async lookupOf(code: string, application: string, choose: () => Promise<Lookup>): Promise<Lookup> {
    const field = `lookups.${application}`;
    const stored = async (): Promise<Lookup | undefined> =>
      (await this.#messages.findOne({ _id: code }, { projection: { [field]: 1 } }))?.lookups?.[application];
    const existing = await stored();
    if (existing) return existing;
    const chosen = await choose();
    const unchosen = { _id: code, [field]: { $exists: false } };
    const { matchedCount } = await this.#messages.updateOne(unchosen, { $set: { [field]: chosen } });
    return matchedCount > 0 ? chosen : ((await stored()) ?? chosen);
  }

  async checkSooner(now: Date, longestMs: number): Promise<void> {
    const later = { checkAt: { $gt: new Date(now.getTime() + longestMs) } };
    await this.#messages.updateMany(later, { $set: { checkAt: now } });
  }

  due(now: Date, limit: number): Promise<string[]> {
    return this.#codes({ checkAt: { $lte: now } }, limit);
  }

  open(limit: number): Promise<string[]> {
    return this.#codes({ checkAt: { $exists: true } }, limit);
  }

  async #codes(filter: object, limit: number): Promise<string[]> {
    const found = await this.#messages
      .find(filter, { projection: { _id: 1 }, limit, hint: 'checkAt' })
      .sort({ checkAt: 1 })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  async reschedule(times: ReadonlyMap<string, Date | undefined>): Promise<void> {
    const released = this.#clock.now() - MARKED_WITHIN_MS;
    const writes = [...times].map(([code, checkAt]): Update<OutgoingDocument> => {
      const message = this.#cache.get(code);
      const isStep = message?.step !== undefined && isRated(message) && message.releasedAt!.getTime() > released;
      const u = checkAt
        ? { $set: { checkAt, ...(isStep && { paced: true }) } }
        : { $unset: { checkAt: true as const, paced: true as const } };
      // A message that was completed meanwhile stays closed.
      return { q: { _id: code, checkAt: { $exists: true } }, u };
    });
    await updateAll<OutgoingDocument>(this.#db, OUTGOING, writes);
  }

  async expired(now: Date, limit: number): Promise<string[]> {
    const found = await this.#messages
      .find({ expireAt: { $lte: now } }, { projection: { _id: 1 }, limit, hint: 'expireAt' })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  async remove(codes: readonly string[], now: Date): Promise<void> {
    for (const code of codes) this.#cache.delete(code);
    const removeAt = new Date(now.getTime() + LATE_MS);
    const writes = codes.map((_id) => ({ replaceOne: { filter: { _id }, replacement: { removeAt } } }));
    await this.#removed.bulkWrite(writes, { ordered: false });
  }

  async dueMarkers(now: Date, limit: number): Promise<string[]> {
    const found = await this.#removed
      .find({ removeAt: { $lte: now } }, { projection: { _id: 1 }, limit, hint: 'removeAt' })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  async removeMarkers(codes: readonly string[]): Promise<void> {
    await this.#removed.deleteMany({ _id: { $in: [...codes] } });
  }

  get #removed(): Collection<RemovedDocument> {
    return this.#messages as unknown as Collection<RemovedDocument>;
  }
}
