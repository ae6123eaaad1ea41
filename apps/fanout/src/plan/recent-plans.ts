import { type ChunkKey, planId } from '@tidings/delivery';
import { RecentEntries } from '@tidings/kernel';
import type { PlanDocument } from '@tidings/registry-store';
import type { DecidedPlan } from './plan-log.ts';
import { sliceCountsOf } from './plans.ts';

export type PlanSummary = Pick<PlanDocument, '_id' | 'slices' | 'named' | 'settledAt' | 'counted' | 'badged' | 'at'>;

const CACHED_PLANS = 5_000;
const SET_BYTES = 1_024;
const CACHE_MS = 120_000;

/** Another process may have settled a plan; its log settles it once. */
export class RecentPlans {
  readonly #plans = new RecentEntries<PlanSummary>({ atLeast: CACHED_PLANS, retentionMs: CACHE_MS });

  add(key: ChunkKey, { planned, badges }: DecidedPlan, at: Date): void {
    if (planned.sendable.length === 0 || (badges && badges.set.length > SET_BYTES)) return;
    const _id = planId(key);
    const { named, counted } = planned;
    const also = { ...(counted && { counted }), ...(badges && { badged: badges.set }) };
    this.#plans.set(_id, { _id, slices: sliceCountsOf(planned), named, at, ...also });
  }

  get(id: string): PlanSummary | undefined {
    return this.#plans.get(id);
  }

  delete(id: string): void {
    this.#plans.delete(id);
  }
}
