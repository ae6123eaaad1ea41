import { windowEndOf } from '@tidings/delivery';
import type { MessageEvent } from '@tidings/events';
import { collectionOf } from '@tidings/mongo';
import type { AnyBulkWriteOperation, Db, Filter, UpdateFilter } from 'mongodb';
import type { WindowEnds } from './stages.ts';
import { HIDDEN_KEPT_MS, KEPT_MS, type MessageFacts, messagesModel } from './storage/statistics.schema.ts';

const DAY_MS = 86_400_000;
/** No fact is delivered any more that is older: topics of facts hold them for 7 days. */
export const LATE_MS = 8 * DAY_MS;

/** Messages whose ends are kept at hand: reports come for few at a time, again and again. */
const KNOWN_ENDS = 10_000;

/** The share of an application in a message. */
export interface Share {
  readonly message: string;
  readonly application: string;
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
  /** The figures of these messages are gone. */
  removed(messages: readonly string[], now: Date): Promise<void>;
  /** Codes of at most `limit` messages whose figures are gone and about which no fact can arrive any more. */
  late(now: Date, limit: number): Promise<string[]>;
  forget(messages: readonly string[]): Promise<void>;
}

/** The shares of deleted applications in messages that go on in others (R-B2). */
export const purgedShares = (events: readonly MessageEvent[]): Share[] =>
  events.flatMap(({ code, event }) =>
    event?.$case === 'purged' && !event.value.whole ? [{ message: code, application: event.value.application }] : [],
  );

export function openMessageFacts(db: Db): MessageFactsStore {
  // Natively: these change with every message, and facts ask for them.
  const messages = collectionOf(db, messagesModel);
  const codes = async (filter: Filter<MessageFacts>, limit: number): Promise<string[]> => {
    const found = messages.find(filter).project<{ _id: string }>({ _id: 1 }).limit(limit);
    return (await found.toArray()).map(({ _id }) => _id);
  };
  const known = new Map<string, number>();
  return {
    async apply(events) {
      const operations = events.flatMap((event): AnyBulkWriteOperation<MessageFacts>[] => {
        const update = updateOf(event);
        return update ? [{ updateOne: { filter: { _id: event.code }, update, upsert: true } }] : [];
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
    expired: (now, limit) => codes({ expiresAt: { $lt: now }, removeAt: { $exists: false } }, limit),
    async removed(expired, now) {
      for (const code of expired) known.delete(code);
      const removeAt = new Date(now.getTime() + LATE_MS);
      // It is known no more when it began, but still when its figures end: an event that is repeated does not bring it back.
      await messages.updateMany({ _id: { $in: [...expired] } }, { $set: { removeAt }, $unset: { releasedAt: '' } });
    },
    late: (now, limit) => codes({ removeAt: { $lt: now } }, limit),
    async forget(late) {
      for (const code of late) known.delete(code);
      await messages.deleteMany({ _id: { $in: [...late] } });
    },
  };
}

/** What an event changes: repeats and order change nothing. */
function updateOf({ event, at }: MessageEvent): UpdateFilter<MessageFacts> | undefined {
  switch (event?.$case) {
    case 'accepted':
      // The earlier end counts: that of a purged message.
      return { $min: { expiresAt: new Date(at!.getTime() + (event.value.hidden ? HIDDEN_KEPT_MS : KEPT_MS)) } };
    case 'released':
      return { $set: { releasedAt: at! } };
    case 'purged':
      return event.value.whole ? { $min: { expiresAt: at! } } : undefined;
    default:
      return undefined;
  }
}
