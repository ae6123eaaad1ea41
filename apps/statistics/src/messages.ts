import { windowEndOf } from '@tidings/delivery';
import type { MessageEvent } from '@tidings/events';
import type { AnyBulkWriteOperation, Db } from 'mongodb';
import type { WindowEnds } from './stages.ts';

const DAY_MS = 86_400_000;
/** How long figures are kept: as long as their message, hidden ones 7 days (R-LM3, R-I6). */
const KEPT_MS = 365 * DAY_MS;
const HIDDEN_KEPT_MS = 7 * DAY_MS;

/** Messages whose ends are kept at hand: reports come for few at a time, again and again. */
const KNOWN_ENDS = 10_000;

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
  /** When the report windows of these messages end. What it answers of other messages is of no meaning. */
  windowEnds(messages: readonly string[]): Promise<WindowEnds>;
  /** Codes of at most `limit` messages whose figures are past their time. */
  expired(now: Date, limit: number): Promise<string[]>;
  forget(messages: readonly string[]): Promise<void>;
}

export async function openMessageFacts(db: Db): Promise<MessageFactsStore> {
  const messages = db.collection<MessageFacts>('messages');
  await messages.createIndex({ expiresAt: 1 });
  const known = new Map<string, number>();
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
    async windowEnds(codes) {
      const unknown = [...new Set(codes)].filter((code) => !known.has(code));
      const ends = new Map(codes.flatMap((code) => (known.has(code) ? [[code, known.get(code)!] as const] : [])));
      const found = unknown.length > 0 ? await messages.find({ _id: { $in: unknown } }).toArray() : [];
      if (known.size + found.length > KNOWN_ENDS) known.clear();
      for (const { _id: code, releasedAt } of found) {
        if (!releasedAt) continue;
        const end = windowEndOf(releasedAt) / 1000;
        ends.set(code, end);
        known.set(code, end);
      }
      return (code) => ends.get(code);
    },
    async expired(now, limit) {
      const found = messages
        .find({ expiresAt: { $lt: now } })
        .project<{ _id: string }>({ _id: 1 })
        .limit(limit);
      return (await found.toArray()).map(({ _id }) => _id);
    },
    async forget(codes) {
      for (const code of codes) known.delete(code);
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
