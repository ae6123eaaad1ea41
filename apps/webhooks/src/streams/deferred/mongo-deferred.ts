import { idsBelow, messageApplicationKey } from '@tidings/delivery';
import { collectionOf } from '@tidings/mongo';
import type { AnyBulkWriteOperation, Collection, Db, Filter } from 'mongodb';
import { type DeferredDocument, deferredModel } from './deferred.schema.ts';
import type { Subscription } from '../../subscriptions/subscription.ts';
import type { DeferredChange, DeferredEvent, DeferredPair, DeferredStore } from './deferred-store.ts';

/** Enabling a subscription again begins another stream. */
export type StreamId = Pick<Subscription, 'id' | 'since'>;

export interface DeferredStores {
  of(stream: StreamId): DeferredStore;
  remove(subscription: string): Promise<void>;
  purge(shares: readonly { readonly message: string; readonly application: string }[]): Promise<void>;
  removeExcept(streams: readonly StreamId[]): Promise<void>;
}

type Write = AnyBulkWriteOperation<DeferredDocument>;

const FIRST_TWO = { key: 1, events: { $slice: 2 }, failures: 1, at: 1, oldest: 1 } as const;

const ownedBy = ({ id, since }: StreamId) => ({ subscription: id, since: since.getTime() });

function storeOf(collection: Collection<DeferredDocument>, stream: StreamId): DeferredStore {
  const owned = ownedBy(stream);
  const idOf = (key: string): string => `${owned.subscription}/${owned.since}/${key}`;
  const write = async (writes: Write[]): Promise<void> => {
    if (writes.length > 0) await collection.bulkWrite(writes);
  };
  const removeEmpty = async (ids: string[]): Promise<void> => {
    if (ids.length > 0) await collection.deleteMany({ _id: { $in: ids }, events: { $size: 0 } });
  };
  const first = async (order: 'at' | 'oldest', limit: number) => {
    const cursor = collection.find(owned, { projection: FIRST_TWO, hint: order });
    const found = await cursor
      .sort({ [order]: 1 })
      .limit(limit)
      .toArray();
    await removeEmpty(found.filter(({ events }) => events.length === 0).map(({ _id }) => _id));
    return found.filter(({ events }) => events.length > 0);
  };
  const withAges = async (pairs: (DeferredPair & { readonly oldest: number })[]): Promise<DeferredPair[]> => {
    const wrong = pairs.filter(({ events, oldest }) => events[0]!.enqueuedAt !== oldest);
    await write(
      wrong.map(({ key, events: [event] }) => ({
        updateOne: { filter: { _id: idOf(key) }, update: { $set: { oldest: event!.enqueuedAt } } },
      })),
    );
    return pairs;
  };

  return {
    async size() {
      const counting = collection.aggregate<{ readonly size: number }>([
        { $match: owned },
        { $group: { _id: null, size: { $sum: { $size: '$events' } } } },
      ]);
      return (await counting.next())?.size ?? 0;
    },
    async lastOf(keys) {
      const found = await collection
        .find({ _id: { $in: keys.map(idOf) } }, { projection: { key: 1, events: { $slice: -1 } } })
        .toArray();
      return new Map(found.flatMap(({ key, events: [last] }) => (last ? [[key, last] as const] : [])));
    },
    async add(pairs) {
      await write(
        pairs.map(({ key, events, failures, at }) => ({
          updateOne: {
            filter: { _id: idOf(key) },
            update: {
              $push: { events: { $each: [...events] } },
              $setOnInsert: { ...owned, key, failures, at, oldest: events[0]!.enqueuedAt },
            },
            upsert: true,
          },
        })),
      );
    },
    async apply(changes) {
      await write(changes.map((change) => ({ updateOne: changeOf(idOf(change.key), change) })));
      await removeEmpty(changes.flatMap(({ kind, key }) => (kind === 'over' ? [idOf(key)] : [])));
    },
    soonest: (limit) => first('at', limit),
    async makeDue(at) {
      const { modifiedCount } = await collection.updateMany({ ...owned, at: { $gt: at } }, { $set: { at: 0 } });
      return modifiedCount;
    },
    oldest: async (limit) => withAges(await first('oldest', limit)),
  };
}

export function openDeferred(db: Db): DeferredStores {
  const collection = collectionOf(db, deferredModel);

  return {
    of: (stream) => storeOf(collection, stream),
    async remove(subscription) {
      await collection.deleteMany({ subscription });
    },
    async purge(shares) {
      for (const share of shares) await collection.deleteMany({ key: idsBelow(messageApplicationKey(share)) });
    },
    async removeExcept(streams) {
      const kept: Filter<DeferredDocument>[] = streams.map(ownedBy);
      await collection.deleteMany(kept.length > 0 ? { $nor: kept } : {});
    },
  };
}

function changeOf(_id: string, change: DeferredChange) {
  if (change.kind === 'failed') {
    const { failures, at } = change;
    return { filter: { _id }, update: { $set: { failures, at } } };
  }
  const { n, e, d } = change.event;
  const { next } = change;
  // The former age is only too high: events may have been appended.
  const oldest: Partial<Pick<DeferredDocument, 'oldest'>> = next ? { oldest: next.enqueuedAt } : {};
  const reset = { failures: 0, at: 0, ...oldest };
  return {
    filter: { _id, events: { $elemMatch: { n, e, d } } },
    update: { $pull: { events: { n, e, d } as DeferredEvent }, $set: reset },
  };
}
