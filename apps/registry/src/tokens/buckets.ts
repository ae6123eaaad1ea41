import { type Clock, Fault } from '@tidings/kernel';
import type { RateLimit } from '@tidings/rpc';
import { isDuplicateKey } from '@tidings/mongo';
import type { Collection, Db } from 'mongodb';
import { type BucketDocument, bucketsModel } from './storage/buckets.schema.ts';

const ROUNDING = 1e-6;

/** A larger step back means that the clock was set. */
const SKEW_MS = 60_000;

/** A failed attempt means that another succeeded. */
const MAX_ATTEMPTS = 1000;

export interface Taking {
  readonly requested: number;
  readonly unused: number;
}

export interface GrantedRequests {
  readonly granted: number;
  readonly waitMs: number;
}

/** Compare-and-set: a limit holds for all replicas together (R-LM2). */
export class Buckets {
  readonly #buckets: Collection<BucketDocument>;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    // A crash may lose the last draws.
    this.#buckets = db.collection<BucketDocument>(bucketsModel.name, { writeConcern: { w: 1 } });
    this.#clock = clock;
  }

  /** Takes as many as are left. */
  async take(token: string, limit: RateLimit, taking: Taking): Promise<GrantedRequests> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const before = await this.#buckets.findOne({ _id: token });
      const { left, at, granted, waitMs } = grantOf(before, limit, taking, this.#clock.now());
      const fullAt = new Date(at + SKEW_MS + limit.seconds * 1000);
      if (await this.#change(before, { _id: token, rev: (before?.rev ?? 0) + 1, left, at, fullAt })) {
        return { granted, waitMs };
      }
    }
    throw Fault.unavailable('too many requests take from the limit of a token at once');
  }

  async #change(before: BucketDocument | null, { _id, ...after }: BucketDocument): Promise<boolean> {
    if (before) return (await this.#buckets.updateOne({ _id, rev: before.rev }, { $set: after })).modifiedCount === 1;
    try {
      await this.#buckets.insertOne({ _id, ...after });
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return false;
    }
  }
}

function grantOf(
  before: BucketDocument | null,
  { requests, seconds }: RateLimit,
  { requested, unused }: Taking,
  now: number,
) {
  const perMs = requests / (seconds * 1000);
  const since = before?.at ?? now;
  const at = since > now + SKEW_MS ? now : Math.max(since, now);
  const grown = Math.max(0, at - since) * perMs;
  const there = Math.min(requests, (before?.left ?? requests) + grown + unused);
  const granted = Math.min(requested, Math.floor(there + ROUNDING));
  const left = Math.max(0, there - granted);
  const waitMs = Math.max(0, Math.ceil((1 - left) / perMs - 1e-3));
  return { left, at, granted, waitMs };
}
