import {
  type Attempt,
  type Claimed,
  deferred,
  type Rest,
  type Results,
  settled,
  takenOver,
  woken,
} from '@tidings/delivery';
import type { AttemptStore, Woken } from '../attempts.ts';
import type { Lane } from '../channels/port.ts';
import type { GateStore } from '../gates.ts';
import type { LeaseStore } from '../owners.ts';

/** How a call reaches the store: the effect happens once, some time between call and answer, or never. */
export type Journey = <T>(effect: () => T) => Promise<T>;

const atOnce: Journey = async (effect) => effect();

/** Attempts in memory, changed by the transitions of libs/delivery and nothing else. */
export class MemoryAttempts {
  readonly byId = new Map<string, { readonly lane: Lane; readonly attempt: Attempt }>();

  over(journey: Journey = atOnce): AttemptStore {
    return {
      claim: (id, lane, attempt) => journey(() => this.#claim(id, lane, attempt)),
      takeOver: (id, from, to) => journey(() => this.#put(id, takenOver(this.#get(id), from, to))),
      settle: (id, owner, results, now) => journey(() => this.#settle(id, owner, results, now)),
      rest: (id, owner, results, rest) => journey(() => this.#rest(id, owner, results, rest)),
      due: (lane, now, limit) => journey(() => this.#due(lane, now, limit)),
      wake: (lane, owner, now, limit) => journey(() => this.#wake(lane, owner, now, limit)),
    };
  }

  #get(id: string): Attempt | undefined {
    return this.byId.get(id)?.attempt;
  }

  #put<A extends Attempt>(id: string, attempt: A | undefined): A | undefined {
    if (attempt) this.byId.set(id, { lane: this.byId.get(id)!.lane, attempt });
    return attempt;
  }

  #claim(id: string, lane: Lane, attempt: Claimed): Attempt | undefined {
    const before = this.#get(id);
    if (!before) this.byId.set(id, { lane, attempt });
    return before;
  }

  #settle(id: string, owner: string, results: Results, now: number): boolean {
    return this.#put(id, settled(this.#get(id), owner, results, now)) !== undefined;
  }

  #rest(id: string, owner: string, results: Results, rest: Rest): boolean {
    return this.#put(id, deferred(this.#get(id), owner, results, rest)) !== undefined;
  }

  #due(lane: Lane, now: number, limit: number): number {
    const due = [...this.byId.values()].filter((entry) => entry.lane === lane && woken(entry.attempt, '', now));
    return Math.min(due.length, limit);
  }

  #wake(lane: Lane, owner: string, now: number, limit: number): Woken[] {
    const found: Woken[] = [];
    for (const [id, entry] of this.byId) {
      if (found.length === limit) break;
      const attempt = entry.lane === lane ? woken(entry.attempt, owner, now) : undefined;
      if (attempt) found.push({ id, attempt: this.#put(id, attempt)! });
    }
    return found;
  }
}

export class MemoryLeases {
  readonly until = new Map<string, number>();

  over(journey: Journey = atOnce): LeaseStore {
    const { until } = this;
    return {
      renew: (id, to) => journey(() => void until.set(id, Math.max(to, until.get(id) ?? 0))),
      alive: (ids, now) => journey(() => new Set(ids.filter((id) => (until.get(id) ?? 0) > now))),
      end: (ids) => journey(() => ids.forEach((id) => until.delete(id))),
    };
  }
}

export class MemoryGates {
  readonly #until = new Map<string, number>();

  over(journey: Journey = atOnce): GateStore {
    return {
      close: (gate, until) => journey(() => void this.#until.set(gate, Math.max(until, this.#until.get(gate) ?? 0))),
      closed: (now) =>
        journey(() => [...this.#until].filter(([, until]) => until > now).map(([gate, until]) => ({ gate, until }))),
    };
  }
}
