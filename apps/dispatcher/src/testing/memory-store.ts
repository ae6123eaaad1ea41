import {
  amended,
  type Attempt,
  type Claim,
  deferred,
  dueAgain,
  finished,
  progressed,
  published,
  settled,
  takenOver,
  resumed,
  messageIn,
  sliceId,
  RETRY_AFTER_MAX_MS,
  valueOf,
  WORKER_LEASE_MS,
  type Lane,
} from '@tidings/delivery';
import { LeaseObserver } from '@tidings/coordination';
import { isDue } from '@tidings/kernel';
import { beginAfter } from '../pace/mongo-paces.ts';
import type { Timers } from '../timers.ts';
import type { AttemptStore, Due, SliceSettings, Unpublished } from '../attempts/attempts.ts';
import type { LeaseStore } from '../attempts/worker-lease.ts';
import type { PaceStore, Reservation } from '../pace/pace.ts';
import type { Stop, StopStore } from '../stop/stopped-messages.ts';
import type { SentValuesKeeper } from '../sent/sent-values.ts';
import type { Throttle, ThrottleStore } from '../throttle/throttles.ts';

/** The effect happens once, some time between call and answer, or never. */
export type Journey = <T>(effect: () => T) => Promise<T>;

const atOnce: Journey = async (effect) => effect();

interface Entry extends SliceSettings {
  readonly attempt: Attempt;
  readonly owner: string;
}

export class MemoryAttempts {
  readonly byId = new Map<string, Entry>();
  recordedProgress = 0;

  over(journey: Journey = atOnce): AttemptStore {
    const put = (id: string, change: (attempt: Attempt | undefined) => Attempt | undefined): Promise<boolean> =>
      journey(() => this.#put(id, change(this.#get(id))) !== undefined);
    return {
      claim: (id, settings, attempt) => journey(() => this.#claim(id, settings, attempt)),
      find: (id) => journey(() => this.#get(id)),
      takeOver: (id, from, to) => journey(() => this.#put(id, takenOver(this.#get(id), from, to))),
      progress: (id, claim, results) => {
        this.recordedProgress++;
        return put(id, (attempt) => progressed(attempt, claim, results));
      },
      settle: (id, claim, results, now) => put(id, (attempt) => settled(attempt, claim, results, now)),
      defer: (id, claim, results, deferral) => put(id, (attempt) => deferred(attempt, claim, results, deferral)),
      amend: (id, claim, results, deferral) => put(id, (attempt) => amended(attempt, claim, results, deferral)),
      finish: (id, claim, results, now) => put(id, (attempt) => finished(attempt, claim, results, now)),
      due: (lane, until, limit, except) => journey(() => this.#due(lane, until, limit, except)),
      published: (id) => journey(() => void this.#put(id, published(this.#get(id)))),
      unpublished: (lane, limit) => journey(() => this.#unpublished(lane).slice(0, limit)),
      resume: (id, owner, now) => journey(() => this.#put(id, resumed(this.#get(id), owner, now))),
      makeDue: (lane, credentials, now) => journey(() => this.#makeDue(lane, credentials, now)),
      dueAgain: (lane, step) =>
        journey(() => {
          for (const [id, { lane: of, attempt }] of this.byId) if (of === lane) this.#put(id, dueAgain(attempt, step));
        }),
      makeOneDue: (lane, credential, now) => journey(() => this.#makeDue(lane, [credential], now, 1)),
    };
  }

  makeStoppedDue(messages: readonly string[], now: number): void {
    for (const [id, { attempt }] of this.byId) {
      if (!messages.includes(messageIn(id)) || attempt.state !== 'deferred' || attempt.deferral.answersUntil > 0)
        continue;
      if (attempt.dueAt > now) this.#put(id, { ...attempt, dueAt: now });
    }
  }

  #get(id: string): Attempt | undefined {
    return this.byId.get(id)?.attempt;
  }

  #put<A extends Attempt>(id: string, attempt: A | undefined): A | undefined {
    const before = this.byId.get(id)!;
    if (attempt) this.byId.set(id, { ...before, attempt, owner: 'owner' in attempt ? attempt.owner : before.owner });
    return attempt;
  }

  #claim(id: string, settings: SliceSettings, attempt: Attempt & Claim): Attempt | undefined {
    const before = this.#get(id);
    if (!before) this.byId.set(id, { ...settings, attempt, owner: attempt.owner });
    return before;
  }

  #due(lane: Lane, until: number, limit: number, except: readonly string[]): Due[] {
    const due = [...this.byId].flatMap(([id, { lane: of, credential, attempt }]) =>
      of === lane && attempt.state === 'deferred' && attempt.dueAt <= until && !except.includes(credential)
        ? [
            {
              id,
              credential,
              devices: attempt.deferral.progress.length,
              dueAt: attempt.dueAt,
              awaitsAnswers: attempt.deferral.answersUntil > 0,
            },
          ]
        : [],
    );
    return due.toSorted((a, b) => a.dueAt - b.dueAt).slice(0, limit);
  }

  #unpublished(lane: Lane): Unpublished[] {
    return [...this.byId].flatMap(([id, { lane: of, credential, attempt, owner }]) => {
      const { state, deferral } = attempt;
      if (of !== lane || state === 'deferred' || !deferral) return [];
      return [{ id, owner, credential, devices: deferral.progress.length, isSettled: state === 'settled' }];
    });
  }

  #makeDue(lane: Lane, credentials: readonly string[], now: number, limit = Infinity): void {
    const blocked = [...this.byId].flatMap(([id, { lane: of, credential, attempt }]) => {
      if (of !== lane || !credentials.includes(credential) || attempt.state !== 'deferred') return [];
      const { blockedUntil, answersUntil } = attempt.deferral;
      return blockedUntil > 0 && answersUntil === 0 && attempt.dueAt > now ? [{ id, attempt }] : [];
    });
    for (const { id, attempt } of blocked.slice(0, limit)) {
      this.#put(id, { ...attempt, dueAt: now, deferral: { ...attempt.deferral, blockedUntil: 0 } });
    }
  }
}

export class MemoryValues {
  readonly #rounds = new Map<string, Map<number, ReadonlyMap<number, string>>>();

  over(journey: Journey = atOnce): SentValuesKeeper {
    return {
      keep: ({ batch, columns, slice: { number, first, count }, round, positions }) =>
        journey(() => {
          const sent = new Set(positions);
          const devices = Array.from({ length: count }, (_, i) => first + i);
          const kept = devices.flatMap((device): [number, string][] => {
            const position = columns.positions[device]!;
            return sent.has(position) ? [[position, valueOf(columns, device, 0)]] : [];
          });
          const id = sliceId({ ...batch, number });
          const rounds = this.#rounds.get(id) ?? new Map<number, ReadonlyMap<number, string>>();
          this.#rounds.set(id, rounds.set(round, new Map(kept)));
        }),
    };
  }

  of(id: string, position: number): string | undefined {
    const rounds = [...(this.#rounds.get(id) ?? [])].toSorted(([a], [b]) => b - a);
    return rounds.map(([, values]) => values.get(position)).find((value) => value !== undefined);
  }
}

export class MemoryLeases {
  readonly until = new Map<string, number>();

  over(timers: Pick<Timers, 'now' | 'wall'>, journey: Journey = atOnce): LeaseStore {
    const { until } = this;
    const observer = new LeaseObserver({ lengthMs: WORKER_LEASE_MS, steady: () => timers.now() });
    const isAlive = (id: string): boolean => until.has(id) && !observer.isOver(id, until.get(id)!, timers.wall());
    return {
      renew: (id, to) => journey(() => void until.set(id, to)),
      alive: (ids = [...until.keys()]) => journey(() => new Set(ids.filter(isAlive))),
      end: (ids) => journey(() => ids.forEach((id) => until.delete(id))),
    };
  }
}

export class MemoryThrottles {
  readonly #throttles = new Map<string, Throttle & { readonly probedUntil: number }>();

  over(journey: Journey = atOnce): ThrottleStore {
    const throttles = this.#throttles;
    return {
      close: (credential, until, cause, { reference, version }, outdated = -Infinity) =>
        journey(() => {
          const before = throttles.get(credential);
          const versions = new Map(before?.versions).set(reference, version);
          const currentUntil = before && before.until > outdated ? before.until : 0;
          const longest = isDue(currentUntil, until, RETRY_AFTER_MAX_MS) ? until : currentUntil;
          throttles.set(credential, { credential, until: longest, cause, versions, probedUntil: 0 });
        }),
      all: () => journey(() => [...throttles.values()]),
      probe: (credential, ended, now, forMs) =>
        journey(() => {
          const throttle = throttles.get(credential);
          if (!throttle || throttle.until > ended || !isDue(throttle.probedUntil, now, forMs)) return false;
          throttles.set(credential, { ...throttle, probedUntil: now + forMs });
          return true;
        }),
      lift: (credential) => journey(() => throttles.delete(credential)),
    };
  }
}

export class MemoryStops {
  readonly at = new Map<string, number>();
  readonly #attempts: MemoryAttempts;
  readonly #stored: () => void;

  constructor(attempts: MemoryAttempts, stored: () => void = () => undefined) {
    this.#attempts = attempts;
    this.#stored = stored;
  }

  over(journey: Journey = atOnce): StopStore {
    const stopped = (): Stop[] => [...this.at].map(([message, at]) => ({ message, at }));
    return {
      add: (messages, now) =>
        journey(() => {
          const at = Math.max(now, 1 + Math.max(0, ...this.at.values()));
          for (const message of messages) if (!this.at.has(message)) this.at.set(message, at);
          this.#stored();
          return stopped().filter(({ message }) => messages.includes(message));
        }),
      since: (since) => journey(() => stopped().filter(({ at }) => at > since)),
      makeDue: (messages, now) => journey(() => this.#attempts.makeStoppedDue(messages, now)),
    };
  }
}

export class MemoryPaces {
  readonly #until = new Map<string, number>();

  over(journey: Journey = atOnce): PaceStore {
    return {
      reserve: (message, lengthMs, now, latest) =>
        journey((): Reservation => {
          const from = beginAfter(this.#until.get(message), now, latest + lengthMs);
          if (from > latest) return { nextFrom: from };
          this.#until.set(message, from + lengthMs);
          return { from };
        }),
    };
  }
}
