import type { CommitReader } from '@tidings/event-store';
import type { WebhookEvent } from '@tidings/events';
import { bytesOf, isDuplicateKey, modelOf } from '@tidings/mongo';
import type { Db } from 'mongodb';
import type { Model } from 'mongoose';
import { webhooksLogOf } from '../webhook-log.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import type { DeferredSummary } from './deferred/deferred-store.ts';
import type { FailingPeriod } from './failing-period.ts';
import type { EventPosition, Unacked } from './unacked.ts';
import { type StreamDocument, streamsModel } from './streams.schema.ts';

export type OpenEvent = Pick<Unacked, 'n' | 'e' | 'd' | 'failures' | 'strikes' | 'at'>;

/** Everything before `next` is acknowledged or given up, except `open`. */
export interface Progress {
  readonly next: EventPosition;
  readonly open: readonly OpenEvent[];
  readonly failing?: FailingPeriod | undefined;
  readonly deferred?: DeferredSummary | undefined;
}

export interface ProgressStore {
  /** @returns undefined if one of `others` owns it */
  claim(subscription: Subscription, owner: string, others: ReadonlySet<string>): Promise<Progress | undefined>;
  save(id: string, owner: string, progress: Progress): Promise<boolean>;
  release(id: string, owner: string): Promise<void>;
  owners(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  deferred(ids: readonly string[]): Promise<ReadonlyMap<string, DeferredSummary>>;
  removeExcept(ids: readonly string[], owners: readonly string[]): Promise<void>;
}

const SKEW_MS = 60_000;

const COMMITS_AT_ONCE = 100;

const FIELDS = 5;

/** Earlier versions read whole failures and keep the fraction. */
const STRIKE = 1 / 4;

const encodeOpen = (open: readonly OpenEvent[]): Buffer =>
  Buffer.from(
    Float64Array.from(open.flatMap(({ n, e, d, failures, strikes, at }) => [n, e, d, failures + strikes * STRIKE, at]))
      .buffer,
  );

function decodeOpen(stored: Uint8Array): OpenEvent[] {
  // Copied: a Float64Array needs an aligned buffer.
  const numbers = new Float64Array(new Uint8Array(stored).buffer);
  return Array.from({ length: numbers.length / FIELDS }, (_, i) => {
    const [n, e, d, failures, at] = numbers.subarray(i * FIELDS, (i + 1) * FIELDS) as unknown as number[];
    const whole = Math.floor(failures!);
    return { n: n!, e: e!, d: d!, failures: whole, strikes: (failures! - whole) / STRIKE, at: at! };
  });
}

const isAfterStart = ({ at, event }: WebhookEvent, { id, since }: Subscription): boolean =>
  (event?.$case === 'created' || event?.$case === 'changed') &&
  event.value.id === id &&
  at?.getTime() === since.getTime();

const startAfter = (position: number): Progress => ({ next: { n: position + 1, e: 0, d: 0 }, open: [] });

async function deferredOf(
  streams: Model<StreamDocument>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DeferredSummary>> {
  const found = await streams
    .find({ _id: { $in: [...ids] }, deferred: { $exists: true } }, { deferred: 1 })
    .lean<Pick<StreamDocument, '_id' | 'deferred'>[]>();
  return new Map(found.map(({ _id, deferred }) => [_id, deferred!]));
}

export function openProgress(
  db: Db,
  commits: Pick<CommitReader<WebhookEvent>, 'after' | 'newestBefore'>,
): ProgressStore {
  const streams = modelOf(db, streamsModel);

  /** Commit times are only approximate: clocks differ. */
  const beginning = async (subscription: Subscription): Promise<Progress> => {
    const log = webhooksLogOf(subscription.account);
    const since = subscription.since.getTime();
    const before = await commits.newestBefore(log, new Date(since - SKEW_MS));
    for (let last = before; ;) {
      const found = await commits.after(log, last, COMMITS_AT_ONCE);
      const first = found.find(({ events }) => events.some((event) => isAfterStart(event, subscription)));
      const end = found.at(-1);
      // The commit may not be readable yet, unless a later one is.
      if (first || !end) return startAfter(first?.position ?? last);
      if (end.at.getTime() > since + SKEW_MS) return startAfter(before);
      last = end.position;
    }
  };

  const insert = async ({ id, since }: Subscription, owner: string, { next, open }: Progress): Promise<boolean> => {
    try {
      await streams.create({ _id: id, owner, since, next, open: encodeOpen(open) });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };

  return {
    async claim(subscription, owner, others) {
      const { id, since } = subscription;
      const stored = await streams.findOne({ _id: id }).lean<StreamDocument | null>();
      if (!stored) {
        const progress = await beginning(subscription);
        return (await insert(subscription, owner, progress)) ? progress : undefined;
      }
      if (stored.owner !== undefined && others.has(stored.owner)) return undefined;
      const isNew = stored.since < since;
      const progress = isNew
        ? await beginning(subscription)
        : {
            next: stored.next,
            open: decodeOpen(bytesOf(stored.open)),
            failing: stored.failing,
            deferred: stored.deferred,
          };
      const set = { owner, since, ...(isNew ? { next: progress.next, open: encodeOpen([]) } : {}) };
      const unchanged = { _id: id, owner: stored.owner ?? { $exists: false } };
      const unset = isNew ? { $unset: { failing: '', deferred: '' } } : {};
      const { matchedCount } = await streams.updateOne(unchanged, { $set: set, ...unset });
      return matchedCount === 1 ? progress : undefined;
    },

    async save(id, owner, { next, open, failing, deferred }) {
      const set = { next, open: encodeOpen(open), ...(deferred && { deferred }) };
      const update = failing ? { $set: { ...set, failing } } : { $set: set, $unset: { failing: '' } };
      const { matchedCount } = await streams.updateOne({ _id: id, owner }, update);
      return matchedCount === 1;
    },

    async release(id, owner) {
      await streams.updateOne({ _id: id, owner }, { $unset: { owner: '' } });
    },

    async owners(ids) {
      const found = await streams
        .find({ _id: { $in: [...ids] }, owner: { $exists: true } }, { owner: 1 })
        .lean<Pick<StreamDocument, '_id' | 'owner'>[]>();
      return new Map(found.map(({ _id, owner }) => [_id, owner!]));
    },

    deferred: (ids) => deferredOf(streams, ids),

    async removeExcept(ids, owners) {
      await streams.deleteMany({ _id: { $nin: [...ids] }, owner: { $nin: [...owners] } });
    },
  };
}
