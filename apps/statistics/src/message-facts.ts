import { sharedWrites } from '@tidings/coordination';
import { windowEndOf } from '@tidings/delivery';
import type { MessageEvent } from '@tidings/events';
import { RecentEntries } from '@tidings/kernel';
import { expiryOf } from '@tidings/messaging';
import { collectionOf, isTransient, updateAll } from '@tidings/mongo';
import type { Db, Filter } from 'mongodb';
import { inGeneration } from './storage/in-generation.ts';
import type { WindowEnds } from './report-changes.ts';
import { type MessageFacts, messagesModel } from './storage/statistics.schema.ts';

const DAY_MS = 86_400_000;
/** Maximum age of a delivered fact: topics of facts keep records for 7 days. */
export const LATE_MS = 8 * DAY_MS;

/** Messages whose times are cached: reports arrive repeatedly for a few of them, mostly within minutes. */
const KNOWN_TIMES = 5_000;
const KNOWN_TIMES_MS = 600_000;
const ADOPTED_AT_ONCE = 1_000;

/** An application's share of a message. */
export interface Share {
  readonly message: string;
  readonly application: string;
}

/**
 * Whether facts of a message count: until its figures expire, in the live projection as in a replay (ADR 45).
 * @param expiresAt undefined for an unknown message
 * @param mayBeNew whether the events of an unknown message may be unread yet
 */
export const counts = (expiresAt: Date | undefined, now: Date, mayBeNew: boolean): boolean =>
  expiresAt ? expiresAt > now : mayBeNew;

/** The times of messages that their reports depend on. */
export interface ReportTimes {
  readonly windowEndOf: WindowEnds;
  /** When the figures of a message expire; undefined for an unknown one. */
  readonly expiryOf: (message: string) => Date | undefined;
}

/** Data on a message that its sets do not contain. */
export interface MessageFactsStore {
  /** Applies events of messages, together with events of concurrent calls. */
  apply(events: readonly MessageEvent[]): Promise<void>;
  /** Start of processing; undefined before it. */
  releasedAt(message: string): Promise<Date | undefined>;
  /** The times of these messages. They are undefined for other messages. */
  reportTimes(messages: readonly string[]): Promise<ReportTimes>;
  /** Codes of at most `limit` messages whose figures have expired. */
  expired(now: Date, limit: number): Promise<string[]>;
  /** Records that the figures of these messages are removed. */
  removed(messages: readonly string[], now: Date): Promise<void>;
  /** Codes of at most `limit` messages whose figures are removed and for which no more facts can arrive. */
  late(now: Date, limit: number): Promise<string[]>;
  forget(messages: readonly string[]): Promise<void>;
  /** When the figures of these messages expire; nothing for a message that is not known. */
  expiries(messages: readonly string[]): Promise<ReadonlyMap<string, Date>>;
  /** Messages whose processing began before this time, in no order. */
  releasedBefore(time: Date): AsyncIterable<string>;
  /** Adds the times of all messages of another generation. */
  adopt(generation: number): Promise<void>;
}

/** Shares of deleted applications in messages that continue for other applications (R-B2). */
export const purgedShares = (events: readonly MessageEvent[]): Share[] =>
  events.flatMap(({ code, event }) =>
    event?.$case === 'purged' && !event.value.whole ? [{ message: code, application: event.value.application }] : [],
  );

/** Deleted applications (R-B2). */
export const purgedApplications = (events: readonly MessageEvent[]): string[] => [
  ...new Set(events.flatMap(({ event }) => (event?.$case === 'purged' ? [event.value.application] : []))),
];

export function openMessageFacts(db: Db, generation = 0): MessageFactsStore {
  const model = inGeneration(messagesModel, generation);
  // Native: updated with every message, and queried by facts.
  const messages = collectionOf(db, model);
  const codes = async (filter: Filter<MessageFacts>, limit: number): Promise<string[]> => {
    const found = messages.find(filter).project<{ _id: string }>({ _id: 1 }).limit(limit);
    return (await found.toArray()).map(({ _id }) => _id);
  };
  const known = new RecentEntries<Readonly<KnownTimes>>({ atLeast: KNOWN_TIMES, retentionMs: KNOWN_TIMES_MS });
  const write = sharedWrites(
    (times: readonly Times[]) =>
      updateAll<MessageFacts>(
        db,
        model.name,
        [...earliest(times)].map(([_id, $min]) => ({ q: { _id }, u: { $min }, upsert: true })),
      ),
    { mayBeOneItem: (error) => !isTransient(error) },
  );
  return {
    apply: (events) => write(events.flatMap(timesOf)),
    async releasedAt(message) {
      return (await messages.findOne({ _id: message }))?.releasedAt;
    },
    async reportTimes(codes) {
      const unknown = [...new Set(codes)].filter((code) => !known.has(code));
      const times = new Map(codes.flatMap((code) => (known.has(code) ? [[code, known.get(code)!] as const] : [])));
      const found = unknown.length > 0 ? await messages.find({ _id: { $in: unknown } }).toArray() : [];
      for (const { _id: code, releasedAt, expiresAt } of found) {
        const own = { expiresAt, windowEnd: releasedAt && windowEndOf(releasedAt) / 1000 };
        times.set(code, own);
        // A message that is not released yet will be.
        if (releasedAt) known.set(code, own);
      }
      return {
        windowEndOf: (code) => times.get(code)?.windowEnd,
        expiryOf: (code) => times.get(code)?.expiresAt,
      };
    },
    expired: (now, limit) => codes({ expiresAt: { $lt: now }, removeAt: { $exists: false } }, limit),
    async removed(expired, now) {
      for (const code of expired) known.delete(code);
      const removeAt = new Date(now.getTime() + LATE_MS);
      // The start of processing is removed, but the expiry is kept: a repeated event must not restore the figures.
      await messages.updateMany({ _id: { $in: [...expired] } }, { $set: { removeAt }, $unset: { releasedAt: '' } });
    },
    async expiries(codes) {
      const found = messages.find({ _id: { $in: [...codes] } }, { projection: { expiresAt: 1 } });
      return new Map((await found.toArray()).flatMap(({ _id, expiresAt }) => (expiresAt ? [[_id, expiresAt]] : [])));
    },
    async *releasedBefore(time) {
      const found = messages.find({ releasedAt: { $lt: time } }, { projection: { _id: 1 } });
      for await (const { _id } of found) yield _id;
    },
    async adopt(other) {
      const batch: Times[] = [];
      for await (const { _id: code, ...times } of collectionOf(db, inGeneration(messagesModel, other)).find()) {
        batch.push({ code, ...times });
        if (batch.length === ADOPTED_AT_ONCE) await write(batch.splice(0));
      }
      await write(batch);
    },
    late: (now, limit) => codes({ removeAt: { $lt: now } }, limit),
    async forget(late) {
      for (const code of late) known.delete(code);
      await messages.deleteMany({ _id: { $in: [...late] } });
    },
  };
}

interface KnownTimes {
  readonly expiresAt: Date | undefined;
  /** The second in which its report window ends. */
  readonly windowEnd: number | undefined;
}

/** The times of a message that an event contains. Of several the earliest applies, so that the order and repeats change nothing. */
interface Times extends Pick<MessageFacts, 'expiresAt' | 'releasedAt'> {
  readonly code: string;
}

function timesOf({ code, event, at }: MessageEvent): Times[] {
  switch (event?.$case) {
    case 'accepted':
      // The earlier expiry applies: a purged message expires at once.
      return [{ code, expiresAt: expiryOf(event.value, at!) }];
    case 'released':
      // The first step of a message with a local time.
      return [{ code, releasedAt: at! }];
    case 'purged':
      return event.value.whole ? [{ code, expiresAt: at! }] : [];
    default:
      return [];
  }
}

/** The earliest times of each message. */
function earliest(times: readonly Times[]): ReadonlyMap<string, Omit<Times, 'code'>> {
  const found = new Map<string, Omit<Times, 'code'>>();
  for (const { code, ...own } of times) {
    const before = found.get(code);
    const expiresAt = earlier(before?.expiresAt, own.expiresAt);
    const releasedAt = earlier(before?.releasedAt, own.releasedAt);
    found.set(code, { ...(expiresAt && { expiresAt }), ...(releasedAt && { releasedAt }) });
  }
  return found;
}

const earlier = (a: Date | undefined, b: Date | undefined): Date | undefined => (a && b ? (a < b ? a : b) : (a ?? b));
