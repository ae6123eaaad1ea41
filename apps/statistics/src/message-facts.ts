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
export const LATE_FACTS_MS = 8 * DAY_MS;

const CACHED_TIMES = 5_000;
const CACHED_TIMES_MS = 600_000;
const ADOPTED_AT_ONCE = 1_000;

export interface Share {
  readonly message: string;
  readonly application: string;
}

/** The live projection and a replay count alike (ADR 45). */
export const isCounted = (expiresAt: Date | undefined, now: Date, mayBeNew: boolean): boolean =>
  expiresAt ? expiresAt > now : mayBeNew;

export interface ReportTimes {
  readonly windowEndOf: WindowEnds;
  readonly expiryOf: (message: string) => Date | undefined;
}

export interface MessageFactsStore {
  apply(events: readonly MessageEvent[]): Promise<void>;
  releasedAt(message: string): Promise<Date | undefined>;
  reportTimes(messages: readonly string[]): Promise<ReportTimes>;
  expired(now: Date, limit: number): Promise<string[]>;
  removed(messages: readonly string[], now: Date): Promise<void>;
  removable(now: Date, limit: number): Promise<string[]>;
  forget(messages: readonly string[]): Promise<void>;
  expiries(messages: readonly string[]): Promise<ReadonlyMap<string, Date>>;
  releasedBefore(time: Date): AsyncIterable<string>;
  adopt(generation: number): Promise<void>;
}

export const purgedShares = (events: readonly MessageEvent[]): Share[] =>
  events.flatMap(({ code, event }) =>
    event?.$case === 'purged' && !event.value.whole ? [{ message: code, application: event.value.application }] : [],
  );

export const purgedApplications = (events: readonly MessageEvent[]): string[] => [
  ...new Set(events.flatMap(({ event }) => (event?.$case === 'purged' ? [event.value.application] : []))),
];

export function openMessageFacts(db: Db, generation = 0): MessageFactsStore {
  const model = inGeneration(messagesModel, generation);
  const messages = collectionOf(db, model);
  const codes = async (filter: Filter<MessageFacts>, limit: number): Promise<string[]> => {
    const found = messages.find(filter).project<{ _id: string }>({ _id: 1 }).limit(limit);
    return (await found.toArray()).map(({ _id }) => _id);
  };
  const cachedTimes = new RecentEntries<Readonly<CachedTimes>>({ atLeast: CACHED_TIMES, retentionMs: CACHED_TIMES_MS });
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
      const unknown = [...new Set(codes)].filter((code) => !cachedTimes.has(code));
      const times = new Map(
        codes.flatMap((code) => (cachedTimes.has(code) ? [[code, cachedTimes.get(code)!] as const] : [])),
      );
      const found = unknown.length > 0 ? await messages.find({ _id: { $in: unknown } }).toArray() : [];
      for (const { _id: code, releasedAt, expiresAt } of found) {
        const own = { expiresAt, windowEnd: releasedAt && windowEndOf(releasedAt) / 1000 };
        times.set(code, own);
        if (releasedAt) cachedTimes.set(code, own);
      }
      return {
        windowEndOf: (code) => times.get(code)?.windowEnd,
        expiryOf: (code) => times.get(code)?.expiresAt,
      };
    },
    expired: (now, limit) => codes({ expiresAt: { $lt: now }, removeAt: { $exists: false } }, limit),
    async removed(expired, now) {
      for (const code of expired) cachedTimes.delete(code);
      const removeAt = new Date(now.getTime() + LATE_FACTS_MS);
      // The expiry is kept: a repeated event must not restore the figures.
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
    removable: (now, limit) => codes({ removeAt: { $lt: now } }, limit),
    async forget(removable) {
      for (const code of removable) cachedTimes.delete(code);
      await messages.deleteMany({ _id: { $in: [...removable] } });
    },
  };
}

interface CachedTimes {
  readonly expiresAt: Date | undefined;
  readonly windowEnd: number | undefined;
}

/** The earliest of several applies, so that order and repeats change nothing. */
interface Times extends Pick<MessageFacts, 'expiresAt' | 'releasedAt'> {
  readonly code: string;
}

function timesOf({ code, event, at }: MessageEvent): Times[] {
  switch (event?.$case) {
    case 'accepted':
      return [{ code, expiresAt: expiryOf(event.value, at!) }];
    case 'released':
      return [{ code, releasedAt: at! }];
    case 'purged':
      return event.value.whole ? [{ code, expiresAt: at! }] : [];
    default:
      return [];
  }
}

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
