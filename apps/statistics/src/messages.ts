import type { MessageEvent } from '@tidings/events';
import type { AnyBulkWriteOperation, Db } from 'mongodb';

const DAY_MS = 86_400_000;
/** How long figures are kept: as long as their message, hidden ones 7 days (R-LM3, R-I6). */
const KEPT_MS = 365 * DAY_MS;
const HIDDEN_KEPT_MS = 7 * DAY_MS;

interface MessageFacts {
  readonly _id: string;
  readonly releasedAt?: Date;
  readonly expiresAt?: Date;
}

/** What statistics must know of a message beside its sets. */
export interface MessageFactsStore {
  apply(events: readonly MessageEvent[]): Promise<void>;
  /** When processing began; undefined while it has not. */
  releasedAt(message: string): Promise<Date | undefined>;
  /** Codes of at most `limit` messages whose figures are past their time. */
  expired(now: Date, limit: number): Promise<string[]>;
  forget(messages: readonly string[]): Promise<void>;
}

export async function openMessageFacts(db: Db): Promise<MessageFactsStore> {
  const messages = db.collection<MessageFacts>('messages');
  await messages.createIndex({ expiresAt: 1 });
  return {
    async apply(events) {
      const operations = events.flatMap((event): AnyBulkWriteOperation<MessageFacts>[] => {
        const facts = factsOf(event);
        return facts ? [{ updateOne: { filter: { _id: event.code }, update: { $set: facts }, upsert: true } }] : [];
      });
      if (operations.length > 0) await messages.bulkWrite(operations);
    },
    async releasedAt(message) {
      return (await messages.findOne({ _id: message }))?.releasedAt;
    },
    async expired(now, limit) {
      const found = messages
        .find({ expiresAt: { $lt: now } })
        .project<{ _id: string }>({ _id: 1 })
        .limit(limit);
      return (await found.toArray()).map(({ _id }) => _id);
    },
    async forget(codes) {
      await messages.deleteMany({ _id: { $in: [...codes] } });
    },
  };
}

/** The fields that an event sets; each has one event, so repeats and order change nothing. */
function factsOf({ event, at }: MessageEvent): Omit<MessageFacts, '_id'> | undefined {
  switch (event?.$case) {
    case 'accepted':
      return { expiresAt: new Date(at!.getTime() + (event.value.hidden ? HIDDEN_KEPT_MS : KEPT_MS)) };
    case 'released':
      return { releasedAt: at! };
    default:
      return undefined;
  }
}
