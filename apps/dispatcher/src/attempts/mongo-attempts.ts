import { batcher } from '@tidings/coordination';
import {
  type Attempt,
  type Claim,
  type Claimed,
  dueOf,
  type Deferral,
  type Results,
  type Lane,
  takenOver,
} from '@tidings/delivery';
import { Fault } from '@tidings/kernel';
import { collectionOf, DUPLICATE_KEY, type ModelDefinition, type Update, updateAll } from '@tidings/mongo';
import { type Collection, type Db, type Filter, MongoBulkWriteError } from 'mongodb';
import { type AttemptDocument, attemptOf, packDeferral, packResults } from './attempt-documents.ts';
import type {
  AttemptCounts,
  AttemptStore,
  Deferred,
  Due,
  SliceSettings,
  ClockStepBack,
  Unpublished,
} from './attempts.ts';
import { storeAsFault } from '../unavailable.ts';
import { unpublished, type WaitingLanes, waitingLanes } from './waiting-lanes.ts';

interface Change {
  readonly id: string;
  readonly from: 'claimed' | 'deferred';
  readonly claim: Claim;
  readonly set: Partial<AttemptDocument>;
}

const withoutProgress = { $unset: { progress: '' } } as const;

const projection = { credential: 1, dueAt: 1, 'deferral.devices': 1, 'deferral.answersUntil': 1 } as const;

const deferredOf = ({ _id, credential, deferral }: AttemptDocument): Deferred => ({
  id: _id,
  credential,
  devices: deferral!.devices,
});

export class MongoAttempts implements AttemptStore {
  readonly #db: Db;
  readonly #collection: Collection<AttemptDocument>;
  readonly #channel: string;
  readonly #waiting: WaitingLanes;
  readonly #insert: (document: AttemptDocument) => Promise<Attempt | undefined>;
  readonly #change: (change: Change) => Promise<boolean>;
  readonly #published: (id: string) => Promise<void>;

  constructor(db: Db, model: ModelDefinition<AttemptDocument>, channel: string, waiting?: WaitingLanes) {
    this.#db = db;
    this.#collection = collectionOf(db, model);
    this.#waiting = waiting ?? waitingLanes(this.#collection);
    this.#channel = channel;
    this.#insert = batcher((documents: readonly AttemptDocument[]) => storeAsFault(this.#insertAll(documents))).submit;
    this.#change = batcher((changes: readonly Change[]) => storeAsFault(this.#changeAll(changes))).submit;
    this.#published = batcher((ids: readonly string[]) => storeAsFault(this.#publishedAll(ids))).submit;
  }

  claim(id: string, { lane, credential }: SliceSettings, attempt: Attempt & Claim): Promise<Attempt | undefined> {
    const { owner, round, claimedAt, state } = attempt;
    const ended = state === 'settled' ? { settledAt: new Date(attempt.settledAt) } : {};
    const waits =
      state === 'deferred' ? { deferral: packDeferral(attempt.deferral), dueAt: new Date(attempt.dueAt) } : {};
    return this.#insert({
      _id: id,
      channel: this.#channel,
      lane,
      credential,
      state,
      owner,
      round,
      claimedAt: new Date(claimedAt),
      results: packResults(attempt.results),
      ...ended,
      ...waits,
    });
  }

  async find(id: string): Promise<Attempt | undefined> {
    const document = await storeAsFault(this.#collection.findOne({ _id: id }));
    return document ? attemptOf(document) : undefined;
  }

  async takeOver(id: string, from: string, to: string): Promise<Claimed | undefined> {
    const document = await storeAsFault(this.#collection.findOne({ _id: id, state: 'claimed', owner: from }));
    const takeover = document && takenOver(attemptOf(document), from, to);
    if (!takeover) return undefined;
    const { matchedCount } = await storeAsFault(
      this.#collection.updateOne(
        { _id: id, state: 'claimed', owner: from, round: document.round },
        { $set: { owner: to, round: takeover.round, results: packResults(takeover.results) }, ...withoutProgress },
      ),
    );
    return matchedCount > 0 ? takeover : undefined;
  }

  progress(id: string, claim: Claim, results: Results): Promise<boolean> {
    const progress = { round: claim.round, results: packResults(results) };
    return this.#change({ id, claim, from: 'claimed', set: { progress } });
  }

  settle(id: string, claim: Claim, results: Results, now: number): Promise<boolean> {
    return this.#settled({ id, claim, from: 'claimed' }, results, now);
  }

  finish(id: string, claim: Claim, results: Results, now: number): Promise<boolean> {
    return this.#settled({ id, claim, from: 'deferred' }, results, now);
  }

  defer(id: string, claim: Claim, results: Results, deferral: Deferral): Promise<boolean> {
    return this.#defer({ id, claim, from: 'claimed' }, results, deferral);
  }

  amend(id: string, claim: Claim, results: Results, deferral: Deferral): Promise<boolean> {
    return this.#defer({ id, claim, from: 'deferred' }, results, deferral);
  }

  published(id: string): Promise<void> {
    return this.#published(id);
  }

  #settled(of: Pick<Change, 'id' | 'claim' | 'from'>, results: Results, now: number): Promise<boolean> {
    const set = { state: 'settled', results: packResults(results), settledAt: new Date(now) } as const;
    return this.#change({ ...of, set });
  }

  #defer(of: Pick<Change, 'id' | 'claim' | 'from'>, results: Results, deferral: Deferral): Promise<boolean> {
    const waits = { deferral: packDeferral(deferral), dueAt: new Date(dueOf(deferral)) };
    return this.#change({ ...of, set: { state: 'deferred', results: packResults(results), ...waits } });
  }

  async due(lane: Lane, until: number, limit: number, except: readonly string[]): Promise<readonly Due[]> {
    if (!(await this.#waiting.mayHaveDue(this.#channel, lane, until))) return [];
    const others = except.length > 0 ? { credential: { $nin: [...except] } } : {};
    const found = await storeAsFault(
      this.#collection
        .find({ ...this.#dueIn(lane, until), ...others }, { projection })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    );
    return found.map((attempt) => ({
      ...deferredOf(attempt),
      dueAt: attempt.dueAt!.getTime(),
      awaitsAnswers: attempt.deferral!.answersUntil !== undefined,
    }));
  }

  async unpublished(lane: Lane, limit: number): Promise<readonly Unpublished[]> {
    if (!(await this.#waiting.mayHaveUnpublished(this.#channel, lane))) return [];
    const found = await storeAsFault(
      this.#collection
        .find(
          { channel: this.#channel, lane, ...unpublished },
          { projection: { ...projection, owner: 1, state: 1 }, hint: 'due' },
        )
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    );
    return found.map((attempt) => ({
      ...deferredOf(attempt),
      owner: attempt.owner,
      isSettled: attempt.state === 'settled',
    }));
  }

  async resume(id: string, owner: string, now: number): Promise<Claimed | undefined> {
    const document = await storeAsFault(
      this.#collection.findOneAndUpdate(
        { _id: id, state: 'deferred', dueAt: { $lte: new Date(now) } },
        { $set: { state: 'claimed', owner, resumedAt: new Date(now) }, $inc: { round: 1 } },
        { returnDocument: 'after' },
      ),
    );
    return document ? (attemptOf(document) as Claimed) : undefined;
  }

  async makeDue(lane: Lane, credentials: readonly string[], now: number): Promise<void> {
    const blocked = this.#blockedIn(lane, credentials, now);
    await storeAsFault(
      this.#collection.updateMany(blocked, { $set: { dueAt: new Date(now) }, $unset: { 'deferral.heldUntil': '' } }),
    );
  }

  async makeOneDue(lane: Lane, credential: string, now: number): Promise<void> {
    const blocked = this.#blockedIn(lane, [credential], now);
    await storeAsFault(
      this.#collection.updateOne(blocked, { $set: { dueAt: new Date(now) }, $unset: { 'deferral.heldUntil': '' } }),
    );
  }

  async dueAgain(lane: Lane, { beyond, now, answersForMs }: ClockStepBack): Promise<void> {
    if (!(await this.#waiting.mayHaveLater(this.#channel, lane, beyond))) return;
    const later = { channel: this.#channel, state: 'deferred', lane, dueAt: { $gt: new Date(beyond) } } as const;
    const awaitingAnswers = { ...later, 'deferral.answersUntil': { $exists: true } };
    const others = { ...later, 'deferral.answersUntil': { $exists: false } };
    for (const [slices, dueAt] of [
      [awaitingAnswers, new Date(now + answersForMs)],
      [others, new Date(now)],
    ] as const) {
      const update = { $set: { dueAt, 'deferral.dueSince': dueAt }, $unset: { 'deferral.heldUntil': '' as const } };
      await storeAsFault(this.#collection.updateMany(slices, update));
    }
  }

  #blockedIn(lane: Lane, credentials: readonly string[], now: number): Filter<AttemptDocument> {
    return {
      channel: this.#channel,
      state: 'deferred',
      lane,
      dueAt: { $gt: new Date(now) },
      credential: { $in: [...credentials] },
      'deferral.heldUntil': { $exists: true },
      'deferral.answersUntil': { $exists: false },
    };
  }

  #dueIn(lane: Lane, now: number) {
    return { channel: this.#channel, state: 'deferred', lane, dueAt: { $lte: new Date(now) } } as const;
  }

  async counts(now: number, except: readonly string[] = []): Promise<AttemptCounts> {
    const of = { channel: this.#channel };
    const due = { ...of, state: 'deferred', dueAt: { $lte: new Date(now) } };
    const counted = await this.#collection
      .aggregate<{ readonly _id: AttemptDocument['state']; readonly slices: number }>([
        {
          $match: {
            $or: [
              { ...of, state: 'claimed' },
              except.length > 0 ? { ...due, credential: { $nin: [...except] } } : due,
              { ...of, ...unpublished, state: 'settled' },
            ],
          },
        },
        { $group: { _id: '$state', slices: { $sum: 1 } } },
      ])
      .toArray();
    const slicesIn = (state: AttemptDocument['state']): number => counted.find(({ _id }) => _id === state)?.slices ?? 0;
    return { claimed: slicesIn('claimed'), due: slicesIn('deferred'), unpublished: slicesIn('settled') };
  }

  deferred(): Promise<number> {
    return this.#collection.countDocuments({ channel: this.#channel, state: 'deferred' }, { hint: 'due' });
  }

  async forgetUnsettled(before: number, limit: number): Promise<number> {
    const unsettled = { channel: this.#channel, state: { $in: ['claimed', 'deferred'] as ('claimed' | 'deferred')[] } };
    const old = await this.#collection
      .find({ ...unsettled, claimedAt: { $lt: new Date(before) } }, { projection: { _id: 1 }, hint: 'due' })
      .limit(limit)
      .toArray();
    if (old.length === 0) return 0;
    const ids = { _id: { $in: old.map(({ _id }) => _id) } };
    return (await this.#collection.deleteMany({ ...unsettled, ...ids })).deletedCount;
  }

  async #insertAll(documents: readonly AttemptDocument[]): Promise<(Attempt | undefined)[]> {
    try {
      await this.#collection.insertMany(documents, { ordered: false });
      return documents.map(() => undefined);
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError)) throw error;
      const errors = [error.writeErrors].flat();
      if (errors.length === 0 || errors.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
      const refused = new Set(errors.map(({ index }) => index));
      const existing = new Set(errors.map(({ index }) => documents[index]!._id));
      const found = await this.#collection.find({ _id: { $in: [...existing] } }).toArray();
      if (found.length < existing.size) throw Fault.unavailable('an attempt was removed while its claim was resolved');
      const before = new Map(found.map((document) => [document._id, attemptOf(document)]));
      return documents.map(({ _id }, index) => (refused.has(index) ? before.get(_id) : undefined));
    }
  }

  async #changeAll(changes: readonly Change[]): Promise<boolean[]> {
    const updates = changes.map(({ id, from, claim, set }): Update<AttemptDocument> => ({
      q: { _id: id, state: from, owner: claim.owner, round: claim.round },
      u: set.progress ? { $set: set } : { $set: set, ...withoutProgress },
    }));
    const matched = await updateAll(this.#db, this.#collection.collectionName, updates);
    if (matched === changes.length) return changes.map(() => true);
    return this.#changed(changes);
  }

  async #publishedAll(ids: readonly string[]): Promise<void[]> {
    await this.#collection.updateMany(
      { _id: { $in: [...ids] }, state: 'settled' },
      { $unset: { deferral: '', dueAt: '' } },
    );
    return ids.map(() => undefined);
  }

  /** An earlier try whose answer was lost may have stored a change. */
  async #changed(changes: readonly Change[]): Promise<boolean[]> {
    const found = await this.#collection
      .find({ _id: { $in: changes.map(({ id }) => id) } }, { projection: { state: 1, owner: 1, round: 1 } })
      .toArray();
    const byId = new Map(found.map((document) => [document._id, document]));
    return changes.map(({ id, from, claim, set }) => {
      const document = byId.get(id);
      return (
        document?.owner === claim.owner && document.round === claim.round && document.state === (set.state ?? from)
      );
    });
  }
}

export async function forgetAttempts(
  attempts: Collection<AttemptDocument>,
  before: number,
  limit: number,
): Promise<number> {
  const old = await attempts
    .find({ settledAt: { $lt: new Date(before) } }, { projection: { _id: 1 } })
    .limit(limit)
    .toArray();
  if (old.length === 0) return 0;
  const { deletedCount } = await attempts.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
  return deletedCount;
}
