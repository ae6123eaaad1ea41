import { channelNames } from '@tidings/channels';
import { idsBelow } from '@tidings/delivery';
import type { Collection } from 'mongodb';
import { type AttemptDocument, GIVE_UP_MS } from '../attempts/attempt-documents.ts';
import { storeAsFault } from '../unavailable.ts';
import type { Stop, StopStore } from './stopped-messages.ts';

export interface StopDocument {
  readonly _id: string;
  readonly at: Date;
}

/** Unsettled attempts are removed by then. */
export const STOPS_KEPT_MS = GIVE_UP_MS;

const stopOf = ({ _id, at }: StopDocument): Stop => ({ message: _id, at: at.getTime() });

export function mongoStops(stops: Collection<StopDocument>, attempts: Collection<AttemptDocument>): StopStore {
  /** Readers continue from the newest stop, also after the clock was set back. */
  const nextAt = async (now: number): Promise<Date> => {
    const newest = await stops.findOne({}, { sort: { at: -1 }, projection: { at: 1 } });
    return new Date(Math.max(now, (newest?.at.getTime() ?? 0) + 1));
  };
  return {
    add: (messages, now) =>
      storeAsFault(
        (async () => {
          const at = await nextAt(now);
          const updateOne = (_id: string) => ({ filter: { _id }, update: { $setOnInsert: { at } }, upsert: true });
          await stops.bulkWrite(
            messages.map((message) => ({ updateOne: updateOne(message) })),
            { ordered: false },
          );
          return (await stops.find({ _id: { $in: [...messages] } }).toArray()).map(stopOf);
        })(),
      ),
    since: async (at) =>
      (await storeAsFault(stops.find({ at: { $gt: new Date(at) } }, { hint: 'at' }).toArray())).map(stopOf),
    async makeDue(messages, now) {
      for (const message of messages) {
        await storeAsFault(
          attempts.updateMany(
            {
              _id: idsBelow(message),
              channel: { $in: [...channelNames()] },
              state: 'deferred',
              dueAt: { $gt: new Date(now) },
              'deferral.answersUntil': { $exists: false },
            },
            { $set: { dueAt: new Date(now) }, $unset: { 'deferral.heldUntil': '' } },
          ),
        );
      }
    },
  };
}

export async function forgetStops(stops: Collection<StopDocument>, before: number): Promise<void> {
  await stops.deleteMany({ at: { $lt: new Date(before) } });
}
