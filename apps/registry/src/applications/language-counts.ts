import { setTimeout as delay } from 'node:timers/promises';
import { Semaphore } from '@tidings/coordination';
import { type Clock, Fault, steadyTime } from '@tidings/kernel';
import { deviceIndexes, DEVICES } from '@tidings/registry-store';
import type { Logger } from '@tidings/runtime';
import type { Db } from 'mongodb';

export type Languages = Readonly<Record<string, bigint>>;

export interface LanguageStep {
  readonly languages: ReadonlyMap<string, number>;
  readonly records: number;
  readonly last: number;
}

export type CountLanguages = (application: string, after: number, limit: number) => Promise<LanguageStep>;

export interface LanguagesOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly countedAtOnce?: number;
  readonly step?: number;
  /** Limits the wait for a first figure; the call then gets that of the records counted so far. */
  readonly firstTimeoutMs?: number;
}

export const REFRESH_MS = 60_000;
const STEP_MS = 10_000;
const KEPT = 1_000;
const COUNTS = { atOnce: 2, waiting: 200 };
const BACKGROUND = { atOnce: 1, waiting: 200 };

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

interface Figure {
  readonly languages: Languages;
  readonly at: number;
}

const sorted = (counts: ReadonlyMap<string, number>): Languages =>
  Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => [name, BigInt(count)]));

/** Large applications are counted in the background: a call returns the last figure (R-RES20). */
export class LanguageFigures {
  readonly #count: CountLanguages;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #countedAtOnce: number;
  readonly #step: number;
  readonly #firstTimeoutMs: number;
  readonly #counts = new Semaphore(COUNTS.atOnce, COUNTS.waiting);
  readonly #background = new Semaphore(BACKGROUND.atOnce, BACKGROUND.waiting);
  /** Not started, so they include every change that their callers know of. */
  readonly #waiting = new Map<string, Promise<LanguageStep>>();
  readonly #figures = new Map<string, Figure>();
  readonly #refreshing = new Map<string, Promise<Languages>>();
  readonly #countedSoFar = new Map<string, ReadonlyMap<string, number>>();
  #isClosed = false;

  constructor(count: CountLanguages, options: LanguagesOptions) {
    const { clock, log, countedAtOnce = 10_000, step = 50_000, firstTimeoutMs = 5_000 } = options;
    this.#count = count;
    this.#clock = clock;
    this.#log = log;
    this.#countedAtOnce = countedAtOnce;
    this.#step = step;
    this.#firstTimeoutMs = firstTimeoutMs;
  }

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
    const timeout = delay(this.#firstTimeoutMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    try {
      const found = await Promise.race([this.#refreshed(application), timeout]);
      return found ?? sorted(this.#countedSoFar.get(application) ?? languages);
    } finally {
      stop.abort();
    }
  }

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

  /** A running count may miss the caller's last change. */
  #countedNow(application: string): Promise<LanguageStep> {
    const waiting = this.#waiting.get(application);
    if (waiting) return waiting;
    const work = (): Promise<LanguageStep> => {
      this.#waiting.delete(application);
      return this.#count(application, -1, this.#countedAtOnce + 1);
    };
    const count = Promise.resolve().then(() => this.#counts.run(work));
    this.#waiting.set(application, count);
    const refused = (): void => {
      if (this.#waiting.get(application) === count) this.#waiting.delete(application);
    };
    count.catch(refused);
    return count;
  }

  #refreshed(application: string): Promise<Languages> {
    const refreshing = this.#refreshing.get(application);
    if (refreshing) return refreshing;
    const count = this.#background
      .run(() => this.#countedWhole(application))
      .finally(() => {
        this.#refreshing.delete(application);
        this.#countedSoFar.delete(application);
      });
    // Callers with an older figure do not wait.
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
      this.#countedSoFar.set(application, counts);
      after = last;
    }
    const languages = sorted(counts);
    if (total > this.#countedAtOnce) this.#keep(application, { languages, at });
    else this.#figures.delete(application);
    return languages;
  }
}
