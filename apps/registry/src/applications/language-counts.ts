import { setTimeout as delay } from 'node:timers/promises';
import { Semaphore } from '@tidings/coordination';
import { type Clock, Fault } from '@tidings/kernel';
import type { Logger } from '@tidings/runtime';
import type { Db } from 'mongodb';
import { deviceIndexes, DEVICES } from '../devices/storage/device-document.ts';

/** Device records of each language, by language. */
export type Languages = Readonly<Record<string, bigint>>;

/** What some device records of an application come to, in the order of their numbers. */
export interface LanguageStep {
  readonly languages: ReadonlyMap<string, number>;
  /** Records looked at. */
  readonly records: number;
  /** The greatest number among them. */
  readonly last: number;
}

/** Counts the languages of at most `limit` device records whose numbers are greater than `after`. */
export type CountLanguages = (application: string, after: number, limit: number) => Promise<LanguageStep>;

export interface LanguagesOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Applications with up to so many device records are counted for each call. @default 10000 */
  readonly countedAtOnce?: number;
  /** Device records in a step of a count in the background. @default 50000 */
  readonly step?: number;
}

/** How old a figure of a larger application may be when it is told; it is counted anew then. */
export const REFRESH_MS = 60_000;
/** How long a caller waits for the first figure of a larger application. */
const PATIENCE_MS = 5_000;
/** A step takes a fraction of a second; one that takes longer is given up. */
const STEP_MS = 10_000;
/** Larger applications whose figures are kept; the one asked for longest ago goes first. */
const KEPT = 1_000;
/** Counts that are made at once for callers who wait, and that may wait. */
const COUNTS = { atOnce: 2, waiting: 200 };
/** Counts that run in the background. */
const BACKGROUND = { atOnce: 1, waiting: 200 };

/** Counts on the database; an index bounds what a step reads. */
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

/** A figure that was counted in the background. */
interface Figure {
  readonly languages: Languages;
  /** When its count began, by the clock. */
  readonly at: number;
}

const sorted = (counts: ReadonlyMap<string, number>): Languages =>
  Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => [name, BigInt(count)]));

/**
 * How many device records of an application have each language, with or without token (R-RES20), at a bounded cost for each call: an
 * application with up to 10,000 records is counted when it is asked for, with two counts at once for all of a process. A larger one is counted in
 * the background, one at a time, and each call is told the last figure. A call that finds it older than a minute begins a new count and does not
 * wait for it, so only the first reply after a pause tells an older one.
 */
export class LanguageFigures {
  readonly #count: CountLanguages;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #countedAtOnce: number;
  readonly #step: number;
  readonly #counts = new Semaphore(COUNTS.atOnce, COUNTS.waiting);
  readonly #background = new Semaphore(BACKGROUND.atOnce, BACKGROUND.waiting);
  /** Counts that have not begun: they have all that their callers know of. */
  readonly #waiting = new Map<string, Promise<LanguageStep>>();
  /** Figures of larger applications, in the order in which they were asked for. */
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

  /** @throws Fault `unavailable` where too many ask at once, or a large application has no figure yet: counting goes on. */
  async of(application: string): Promise<Languages> {
    const figure = this.#figures.get(application);
    if (figure) {
      this.#keep(application, figure);
      const age = this.#clock.now() - figure.at;
      if (age > REFRESH_MS || age < 0) void this.#refreshed(application);
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

  /** Ends counts in the background within a step. */
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

  /** A count that begins after the call: one that is under way may lack what the caller has just done. */
  #countedNow(application: string): Promise<LanguageStep> {
    const waiting = this.#waiting.get(application);
    if (waiting) return waiting;
    const work = (): Promise<LanguageStep> => {
      this.#waiting.delete(application);
      return this.#count(application, -1, this.#countedAtOnce + 1);
    };
    // It begins in a moment at the earliest, when it is among those that wait.
    const count = Promise.resolve().then(() => this.#counts.run(work));
    this.#waiting.set(application, count);
    const refused = (): void => {
      if (this.#waiting.get(application) === count) this.#waiting.delete(application);
    };
    count.catch(refused);
    return count;
  }

  /** The count in the background that is under way, or one that begins now. */
  #refreshed(application: string): Promise<Languages> {
    const known = this.#refreshing.get(application);
    if (known) return known;
    const count = this.#background
      .run(() => this.#countedWhole(application))
      .finally(() => this.#refreshing.delete(application));
    // Callers with an older figure do not wait for it.
    count.catch((error: unknown) => {
      if (!this.#isClosed) this.#log.warn({ err: error, application }, 'languages not counted');
    });
    this.#refreshing.set(application, count);
    return count;
  }

  async #countedWhole(application: string): Promise<Languages> {
    const at = this.#clock.now();
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
