import { setTimeout as delay } from 'node:timers/promises';
import { Semaphore } from '@tidings/coordination';
import { type Clock, Fault, steadyTime } from '@tidings/kernel';
import { deviceIndexes, DEVICES } from '@tidings/registry-store';
import type { Logger } from '@tidings/runtime';
import type { Db } from 'mongodb';

/** Number of device records per language. */
export type Languages = Readonly<Record<string, bigint>>;

/** The result of counting some device records of an application, in the order of their numbers. */
export interface LanguageStep {
  readonly languages: ReadonlyMap<string, number>;
  /** Records counted. */
  readonly records: number;
  /** Highest record number among them. */
  readonly last: number;
}

/** Counts the languages of at most `limit` device records whose numbers are greater than `after`. */
export type CountLanguages = (application: string, after: number, limit: number) => Promise<LanguageStep>;

export interface LanguagesOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Maximum device records of an application that is counted on each call. @default 10000 */
  readonly countedAtOnce?: number;
  /** Device records per step of a background count. @default 50000 */
  readonly step?: number;
}

/** Maximum age of a larger application's figure: a call that finds an older one starts a new count. */
export const REFRESH_MS = 60_000;
/** How long a caller waits for the first figure of a larger application. */
const PATIENCE_MS = 5_000;
/** Timeout of a step, which normally takes a fraction of a second. */
const STEP_MS = 10_000;
/** Maximum number of cached figures of larger applications; the least recently requested is dropped. */
const KEPT = 1_000;
/** Concurrent and waiting counts for callers that wait. */
const COUNTS = { atOnce: 2, waiting: 200 };
/** Concurrent and waiting background counts. */
const BACKGROUND = { atOnce: 1, waiting: 200 };

/** Counts in the database; an index bounds what a step reads. */
export const languageCounts = (db: Db): CountLanguages => {
  const devices = db.collection(DEVICES);
  return async (application, after, limit) => {
    const found = await devices
      .aggregate<{ _id: string | null; count: number; last: number }>(
        [
          { $match: { app: application, seq: { $gt: after } } },
          { $sort: { app: 1, seq: 1 } },
          { $limit: limit },
          { $group: { _id: '$lang', count: { $sum: 1 }, last: { $max: '$seq' } } },
        ],
        { hint: deviceIndexes.seq, maxTimeMS: STEP_MS },
      )
      .toArray();
    return {
      languages: new Map(found.flatMap(({ _id, count }) => (_id === null ? [] : [[_id, count] as const]))),
      records: found.reduce((sum, { count }) => sum + count, 0),
      last: Math.max(after, ...found.map(({ last }) => last)),
    };
  };
};

/** The result of a background count. */
interface Figure {
  readonly languages: Languages;
  /** Start of its count, by the clock. */
  readonly at: number;
}

const sorted = (counts: ReadonlyMap<string, number>): Languages =>
  Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => [name, BigInt(count)]));

/**
 * Number of device records of an application per language, with or without token (R-RES20), at a bounded cost per call. An application with up to
 * 10,000 records is counted on each call, two at a time per process. A larger one is counted in the background, one at a time, and each call returns
 * the last figure. A call that finds it older than a minute starts a new count without waiting, so only the first reply after a pause is older.
 */
export class LanguageFigures {
  readonly #count: CountLanguages;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #countedAtOnce: number;
  readonly #step: number;
  readonly #counts = new Semaphore(COUNTS.atOnce, COUNTS.waiting);
  readonly #background = new Semaphore(BACKGROUND.atOnce, BACKGROUND.waiting);
  /** Counts that have not started: they include every change that their callers know of. */
  readonly #waiting = new Map<string, Promise<LanguageStep>>();
  /** Figures of larger applications, least recently requested first. */
  readonly #figures = new Map<string, Figure>();
  readonly #refreshing = new Map<string, Promise<Languages>>();
  #isClosed = false;

  constructor(count: CountLanguages, { clock, log, countedAtOnce = 10_000, step = 50_000 }: LanguagesOptions) {
    this.#count = count;
    this.#clock = clock;
    this.#log = log;
    this.#countedAtOnce = countedAtOnce;
    this.#step = step;
  }

  /** @throws Fault `unavailable` if too many calls wait, or a large application has no figure yet: the count continues */
  async of(application: string): Promise<Languages> {
    const figure = this.#figures.get(application);
    if (figure) {
      this.#keep(application, figure);
      if (steadyTime(this.#clock) - figure.at > REFRESH_MS) void this.#refreshed(application);
      return figure.languages;
    }
    const { languages, records } = await this.#countedNow(application);
    if (records <= this.#countedAtOnce) return sorted(languages);
    const stop = new AbortController();
    const patience = delay(PATIENCE_MS, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    try {
      const found = await Promise.race([this.#refreshed(application), patience]);
      if (found) return found;
      throw Fault.unavailable('The languages of the application are being counted: try again');
    } finally {
      stop.abort();
    }
  }

  /** Stops background counts within a step. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#refreshing.values());
  }

  #keep(application: string, figure: Figure): void {
    this.#figures.delete(application);
    this.#figures.set(application, figure);
    const [oldest] = this.#figures.keys();
    if (this.#figures.size > KEPT && oldest !== undefined) this.#figures.delete(oldest);
  }

  /** A count that starts after the call: a running one may miss the caller's last change. */
  #countedNow(application: string): Promise<LanguageStep> {
    const waiting = this.#waiting.get(application);
    if (waiting) return waiting;
    const work = (): Promise<LanguageStep> => {
      this.#waiting.delete(application);
      return this.#count(application, -1, this.#countedAtOnce + 1);
    };
    // Starts in a later microtask, after it is registered as waiting.
    const count = Promise.resolve().then(() => this.#counts.run(work));
    this.#waiting.set(application, count);
    const refused = (): void => {
      if (this.#waiting.get(application) === count) this.#waiting.delete(application);
    };
    count.catch(refused);
    return count;
  }

  /** The running background count, or a new one. */
  #refreshed(application: string): Promise<Languages> {
    const known = this.#refreshing.get(application);
    if (known) return known;
    const count = this.#background
      .run(() => this.#countedWhole(application))
      .finally(() => this.#refreshing.delete(application));
    // Callers with an older figure do not wait, so the failure is handled here.
    count.catch((error: unknown) => {
      if (!this.#isClosed) this.#log.warn({ err: error, application }, 'languages not counted');
    });
    this.#refreshing.set(application, count);
    return count;
  }

  async #countedWhole(application: string): Promise<Languages> {
    const at = steadyTime(this.#clock);
    const counts = new Map<string, number>();
    let total = 0;
    for (let after = -1; ;) {
      if (this.#isClosed) throw Fault.unavailable('The service is closing');
      const { languages, records, last } = await this.#count(application, after, this.#step);
      for (const [name, count] of languages) counts.set(name, (counts.get(name) ?? 0) + count);
      total += records;
      if (records < this.#step) break;
      after = last;
    }
    const languages = sorted(counts);
    if (total > this.#countedAtOnce) this.#keep(application, { languages, at });
    else this.#figures.delete(application);
    return languages;
  }
}
