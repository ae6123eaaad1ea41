import { idsBelow } from '@tidings/delivery';
import { Fault } from '@tidings/kernel';
import { mergedState } from '@tidings/messaging';
import { collectionOf, isDuplicateKey } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { type InboxDocument, inboxesModel, type StoredState } from './inboxes.schema.ts';

export type EntryStates = Readonly<Record<string, StoredState>>;

const ATTEMPTS = 20;

export const inboxId = (application: string, user: string): string => `${application}/${user}`;

export class InboxStates {
  readonly #inboxes;

  constructor(db: Db) {
    this.#inboxes = collectionOf(db, inboxesModel);
  }

  async read(ids: readonly string[]): Promise<ReadonlyMap<string, EntryStates>> {
    const found = await this.#inboxes.find({ _id: { $in: [...ids] } }).toArray();
    return new Map(found.map(({ _id, states }) => [_id, states]));
  }

  /** Compare-and-set: `change` may run more than once. */
  async change(id: string, now: Date, change: (states: EntryStates) => EntryStates): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const stored = await this.#inboxes.findOne({ _id: id });
      const states = keptOf(change(stored?.states ?? {}), now);
      if (await this.#replace(id, stored, states)) return;
    }
    throw new Fault('unavailable', 'the inbox is changed too often', { internal: id, effect: 'none' });
  }

  async #replace(id: string, stored: InboxDocument | null, states: EntryStates): Promise<boolean> {
    const expireAt = new Date(Math.max(0, ...Object.values(states).map(({ until }) => until)));
    const document = { rev: (stored?.rev ?? 0) + 1, states, expireAt };
    try {
      if (!stored) await this.#inboxes.insertOne({ _id: id, ...document });
      else return (await this.#inboxes.replaceOne({ _id: id, rev: stored.rev }, document)).matchedCount === 1;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return false;
    }
    return true;
  }

  /** "" removes them (R-X2). Idempotent. */
  async moveStates(application: string, from: string, to: string, now: Date): Promise<void> {
    const id = inboxId(application, from);
    const moved = to === '' ? undefined : (await this.read([id])).get(id);
    if (moved) await this.change(inboxId(application, to), now, (stored) => merged(stored, moved));
    await this.remove(application, from);
  }

  async remove(application: string, user: string): Promise<void> {
    await this.#inboxes.deleteOne({ _id: inboxId(application, user) });
  }

  async removeAll(application: string): Promise<void> {
    await this.#inboxes.deleteMany({ _id: { ...idsBelow(application), $gte: inboxId(application, '') } });
  }

  async removeExpired(now: Date): Promise<void> {
    await this.#inboxes.deleteMany({ expireAt: { $lte: now } });
  }
}

const keptOf = (states: EntryStates, now: Date): EntryStates =>
  Object.fromEntries(Object.entries(states).filter(([, { until }]) => until > now.getTime()));

const merged = (stored: EntryStates, moved: EntryStates): EntryStates =>
  Object.fromEntries(
    Object.entries({ ...moved, ...stored }).map(([order, state]) => {
      const [a, b] = [stored[order] ?? state, moved[order] ?? state];
      return [order, { ...mergedState(a, b), until: state.until }];
    }),
  );
