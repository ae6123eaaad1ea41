import { sharedReads } from '@tidings/coordination';
import type { LogWriter } from '@tidings/event-store';
import {
  type ChunkKey,
  chunkKeyOf,
  dayOf,
  firstDayNeeded,
  openSlices,
  planId,
  sendableId,
  resultsIn,
} from '@tidings/delivery';
import type { SliceOutcome } from '@tidings/events';
import { Bitmap, type Clock, Fault, sendIdOf } from '@tidings/kernel';
import { findAll, bytesOf } from '@tidings/mongo';
import { type PlanDocument, PLANS, type SliceCount } from '@tidings/registry-store';
import type { Db } from 'mongodb';
import type { Badges } from './badges.ts';
import type { SliceStatusesDocument, SliceStatusStore } from '../emit/slice-statuses.ts';
import type { OutgoingMessages } from '../release/outgoing.ts';
import type { KnownPlans, PlanSummary } from '../plan/known-plans.ts';
import { type PlanCommand, planLogOf, type PlanReply } from '../plan/plan-log.ts';
import { sendableKeys } from '../plan/plans.ts';
import type { MessageIdentity } from '../release/plan-event.ts';

export interface SettlingDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly outgoing: OutgoingMessages;
  readonly statuses: SliceStatusStore;
  readonly badges: Badges;
  readonly plans: LogWriter<PlanCommand, PlanReply>;
  readonly known: KnownPlans;
}

interface SettlingPlan {
  readonly of: MessageIdentity;
  readonly key: ChunkKey;
}

interface PlanResults extends SettlingPlan {
  readonly numbers: ReadonlyMap<string, ReadonlySet<number>>;
  readonly failed: Bitmap;
}

export const statusIdsOf = (key: ChunkKey, slices: readonly SliceCount[]): string[] =>
  sendableKeys(key, slices).map(sendableId);

export const isSettledWhole = (
  key: ChunkKey,
  slices: readonly SliceCount[],
  statuses: ReadonlyMap<string, SliceStatusesDocument>,
): boolean =>
  slices.every(
    ({ count, ...sendable }) => openSlices(statuses.get(sendableId({ ...key, ...sendable })), count).length === 0,
  );

export class Settling {
  readonly #deps: SettlingDeps;
  readonly summaries: (ids: readonly string[]) => Promise<ReadonlyMap<string, PlanSummary>>;

  constructor(deps: SettlingDeps) {
    this.#deps = deps;
    this.summaries = sharedReads((ids) => this.#stored(ids));
  }

  async record(outcomes: readonly SliceOutcome[]): Promise<void> {
    const { badges, statuses, outgoing } = this.#deps;
    const results = resultsByPlan(outcomes);
    const settled = new Map([...results].filter(([, { numbers }]) => numbers.size > 0));
    const whole = this.#settledAtOnce(settled);
    const summaries = await this.#summariesOf([...results.keys()]);
    // Badges go back first: once all slices are settled, another process may close the plan.
    await this.#giveBack(results, summaries);
    const known = outcomes.filter((each) => !resultsIn(each) || summaries.has(idOf(each)));
    const others = await badges.settle(known, (each) => summaries.get(idOf(each))?.badged === undefined);
    await statuses.record(others.filter((each) => !whole.has(idOf(each))));
    await this.#close(settled, summaries, whole);
    const missing = [...results].flatMap(([id, { key }]) => (summaries.has(id) ? [] : [key]));
    if (missing.length === 0) return;
    // Slices may settle before their plan is applied to its state.
    if (await outgoing.hasStored(missing.map(sendIdOf))) throw Fault.unavailable('a plan is not stored yet');
  }

  #settledAtOnce(settled: ReadonlyMap<string, PlanResults>): ReadonlySet<string> {
    const whole = new Set<string>();
    for (const [id, { key, numbers }] of settled) {
      const plan = this.#deps.known.get(id);
      const isWhole = plan?.slices.every(
        ({ count, ...sendable }) => numbers.get(sendableId({ ...key, ...sendable }))?.size === count,
      );
      if (isWhole) whole.add(id);
    }
    return whole;
  }

  async #summariesOf(ids: readonly string[]): Promise<ReadonlyMap<string, PlanSummary>> {
    const known = ids.flatMap((id) => this.#deps.known.get(id) ?? []);
    const found = new Map(known.map((plan) => [plan._id, plan]));
    if (found.size === ids.length) return found;
    return new Map([...(await this.summaries(ids.filter((id) => !found.has(id)))), ...found]);
  }

  async #stored(ids: readonly string[]): Promise<ReadonlyMap<string, PlanSummary>> {
    const projection = { slices: 1, named: 1, settledAt: 1, counted: 1, badged: 1, at: 1 } as const;
    const found = await findAll<PlanDocument, PlanSummary>(
      this.#deps.db,
      PLANS,
      { _id: { $in: [...ids] } },
      { projection },
    );
    return new Map(found.map((plan) => [plan._id, plan]));
  }

  async closeSettled(candidates: ReadonlyMap<string, SettlingPlan>): Promise<void> {
    await this.#close(candidates, await this.summaries([...candidates.keys()]));
  }

  /** Sends of failed devices count no longer (R-I12), and their badges go back (R-C9). */
  async #giveBack(
    results: ReadonlyMap<string, PlanResults>,
    summaries: ReadonlyMap<string, PlanSummary>,
  ): Promise<void> {
    const at = new Date(this.#deps.clock.now());
    const firstDay = firstDayNeeded(at.getTime());
    await allTried(
      [...results].flatMap(([id, { of, key, failed }]) => {
        const plan = summaries.get(id);
        if (!plan || failed.size === 0) return [];
        const counted = plan.counted === true && dayOf(plan.at.getTime()) >= firstDay;
        const badged = badgedIn(plan);
        if (!counted && !badged) return [];
        const command = { kind: 'fail', of, key, failed, counted, badged, plannedAt: plan.at, at } as const;
        return [this.#deps.plans.submit(planLogOf(key), command)];
      }),
    );
  }

  async #close(
    candidates: ReadonlyMap<string, SettlingPlan>,
    summaries: ReadonlyMap<string, PlanSummary>,
    whole: ReadonlySet<string> = new Set(),
  ): Promise<void> {
    const open = [...candidates].flatMap(([id, { of, key }]) => {
      const summary = summaries.get(id);
      if (!summary || summary.settledAt) return [];
      return [{ id, of, key, slices: summary.slices, badged: badgedIn(summary) }];
    });
    const unsure = open.filter(({ id }) => !whole.has(id));
    const statuses = await this.#deps.statuses.find(unsure.flatMap(({ key, slices }) => statusIdsOf(key, slices)));
    const at = new Date(this.#deps.clock.now());
    await allTried(
      open
        .filter(({ id, key, slices }) => whole.has(id) || isSettledWhole(key, slices, statuses))
        .map(async ({ id, of, key, slices, badged }) => {
          await this.#deps.plans.submit(planLogOf(key), { kind: 'settle', of, key, badged, at });
          this.#deps.known.settled(id);
          this.#deps.statuses.settled(statusIdsOf(key, slices));
        }),
    );
  }
}

const badgedIn = ({ badged }: PlanSummary): Uint8Array | undefined => badged && bytesOf(badged);

const idOf = (outcome: SliceOutcome): string => planId(chunkKeyOf(outcome));

function resultsByPlan(outcomes: readonly SliceOutcome[]): ReadonlyMap<string, PlanResults> {
  const plans = new Map<string, PlanResults & { readonly numbers: Map<string, Set<number>> }>();
  for (const each of outcomes) {
    const results = resultsIn(each);
    if (!results) continue;
    const [key, id] = [chunkKeyOf(each), idOf(each)];
    const { numbers = new Map<string, Set<number>>(), failed = Bitmap.empty } = plans.get(id) ?? {};
    if (each.outcome?.$case === 'settled') {
      const sendable = sendableId(each);
      numbers.set(sendable, (numbers.get(sendable) ?? new Set()).add(each.number));
    }
    const sets = results.failed.map(({ set }) => Bitmap.decode(set));
    plans.set(id, { of: each, key, numbers, failed: Bitmap.union([failed, ...sets]) });
  }
  return plans;
}

async function allTried(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}
