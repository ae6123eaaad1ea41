import { type ChunkKey, planId, recipientSetId } from '@tidings/delivery';
import { RecentEntries } from '@tidings/kernel';
import type { PlanDocument } from '@tidings/registry-store';
import type { DecidedPlan } from './plan-log.ts';
import { sliceCountsOf } from './plans.ts';

export type PlanSummary = Pick<PlanDocument, '_id' | 'slices' | 'named' | 'settledAt' | 'counted' | 'badged' | 'at'>;

/** Numbers of slices by recipient set. */
export type SettledSlices = ReadonlyMap<string, ReadonlySet<number>>;

interface RecentPlan {
  readonly key: ChunkKey;
  readonly summary: PlanSummary;
  settled: SettledSlices;
  hasDeferred: boolean;
}

const CACHED_PLANS = 5_000;
const SET_BYTES = 1_024;
const CACHE_MS = 120_000;

/** Another process may have settled a plan; its log settles it once. */
export class RecentPlans {
  readonly #plans = new RecentEntries<RecentPlan>({ atLeast: CACHED_PLANS, retentionMs: CACHE_MS });

  add(key: ChunkKey, { planned, badges }: DecidedPlan, at: Date): void {
    if (planned.sendable.length === 0 || (badges && badges.set.length > SET_BYTES)) return;
    const _id = planId(key);
    const { named, counted } = planned;
    const also = { ...(counted && { counted }), ...(badges && { badged: badges.set }) };
    const summary = { _id, slices: sliceCountsOf(planned), named, at, ...also };
    this.#plans.set(_id, { key, summary, settled: new Map(), hasDeferred: false });
  }

  get(id: string): PlanSummary | undefined {
    return this.#plans.get(id)?.summary;
  }

  /** @param settled since those that were recorded */
  isSettledBy(id: string, settled: SettledSlices): boolean {
    const plan = this.#plans.get(id);
    if (!plan) return false;
    return plan.summary.slices.every(({ count, ...recipientSet }) => {
      const set = recipientSetId({ ...plan.key, ...recipientSet });
      return numbersIn([plan.settled, settled], set).size === count;
    });
  }

  recordSettled(id: string, settled: SettledSlices): void {
    const plan = this.#plans.get(id);
    if (!plan) return;
    const sets = new Set([...plan.settled.keys(), ...settled.keys()]);
    plan.settled = new Map(Array.from(sets, (set) => [set, numbersIn([plan.settled, settled], set)]));
  }

  recordDeferred(id: string): void {
    const plan = this.#plans.get(id);
    if (plan) plan.hasDeferred = true;
  }

  /** A stored deferral must not lose its end, or the slice is emitted again only after it. */
  mayBuffer(id: string): boolean {
    return this.#plans.get(id)?.hasDeferred === false;
  }

  delete(id: string): void {
    this.#plans.delete(id);
  }
}

const numbersIn = (parts: readonly SettledSlices[], set: string): ReadonlySet<number> =>
  new Set(parts.flatMap((part) => [...(part.get(set) ?? [])]));
