import { sharedReads } from '@tidings/coordination';
import type { LogWriter } from '@tidings/event-store';
import {
  type ChunkKey,
  chunkKeyOf,
  dayOf,
  firstDayNeeded,
  openSlices,
  planId,
  recipientSetId,
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
import type { RecentPlans, PlanSummary } from '../plan/recent-plans.ts';
import { type PlanCommand, planLogOf, type PlanReply } from '../plan/plan-log.ts';
import { recipientSetKeys } from '../plan/plans.ts';
import type { MessageIdentity } from '../release/plan-event.ts';

export interface SettlingDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly outgoing: OutgoingMessages;
  readonly statuses: SliceStatusStore;
  readonly badges: Badges;
  readonly plans: LogWriter<PlanCommand, PlanReply>;
  readonly recentPlans: RecentPlans;
}

interface SettlingPlan {
  readonly of: MessageIdentity;
  readonly key: ChunkKey;
}

interface ClosingPlans {
  readonly summaries: ReadonlyMap<string, PlanSummary>;
  readonly complete: ReadonlySet<string>;
  readonly isRecent: (id: string) => boolean;
}

interface PlanResults extends SettlingPlan {
  readonly numbers: ReadonlyMap<string, ReadonlySet<number>>;
  readonly failed: Bitmap;
}

export const statusIdsOf = (key: ChunkKey, slices: readonly SliceCount[]): string[] =>
  recipientSetKeys(key, slices).map(recipientSetId);

export const isPlanSettled = (
  key: ChunkKey,
  slices: readonly SliceCount[],
  statuses: ReadonlyMap<string, SliceStatusesDocument>,
): boolean =>
  slices.every(
    ({ count, ...recipientSet }) =>
      openSlices(statuses.get(recipientSetId({ ...key, ...recipientSet })), count).length === 0,
  );

export class Settling {
  readonly #deps: SettlingDeps;
  readonly summaries: (ids: readonly string[]) => Promise<ReadonlyMap<string, PlanSummary>>;
  readonly #buffered = new Map<string, SettlingPlan>();

  constructor(deps: SettlingDeps) {
    this.#deps = deps;
    this.summaries = sharedReads((ids) => this.#stored(ids));
  }

  async record(outcomes: readonly SliceOutcome[]): Promise<void> {
    const { badges, statuses, outgoing, recentPlans } = this.#deps;
    const results = resultsByPlan(outcomes);
    const settled = new Map([...results].filter(([, { numbers }]) => numbers.size > 0));
    const complete = this.#completedBy(settled);
    const summaries = await this.#summariesOf([...results.keys()]);
    // Badges go back first: once all slices are settled, another process may close the plan.
    await this.#revertFailed(results, summaries);
    const planned = outcomes.filter((each) => !resultsIn(each) || summaries.has(idOf(each)));
    const others = await badges.settle(planned, (each) => summaries.get(idOf(each))?.badged === undefined);
    const isRecent = (id: string): boolean => recentPlans.get(id) !== undefined;
    const open = others.filter((each) => !complete.has(idOf(each)));
    for (const each of open) if (each.outcome?.$case === 'deferred') recentPlans.recordDeferred(idOf(each));
    const isBuffered = (each: SliceOutcome): boolean =>
      each.outcome?.$case === 'settled' && recentPlans.mayBuffer(idOf(each));
    const buffered = open.filter(isBuffered);
    statuses.bufferSettled(buffered);
    for (const each of buffered) this.#buffered.set(idOf(each), { of: each, key: chunkKeyOf(each) });
    await statuses.record(open.filter((each) => !isBuffered(each)));
    for (const [id, { numbers }] of settled) recentPlans.recordSettled(id, numbers);
    await this.#close(settled, { summaries, complete, isRecent });
    const missing = [...results].flatMap(([id, { key }]) => (summaries.has(id) ? [] : [key]));
    if (missing.length === 0) return;
    // Slices may settle before their plan is applied to its state.
    if (await outgoing.hasStored(missing.map(sendIdOf))) throw Fault.unavailable('a plan is not stored yet');
  }

  #completedBy(settled: ReadonlyMap<string, PlanResults>): ReadonlySet<string> {
    const complete = new Set<string>();
    for (const [id, { numbers }] of settled) if (this.#deps.recentPlans.isSettledBy(id, numbers)) complete.add(id);
    return complete;
  }

  async #summariesOf(ids: readonly string[]): Promise<ReadonlyMap<string, PlanSummary>> {
    const recent = ids.flatMap((id) => this.#deps.recentPlans.get(id) ?? []);
    const found = new Map(recent.map((plan) => [plan._id, plan]));
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

  /** Closes plans whose other slices another process has recorded. */
  async flush(): Promise<void> {
    const buffered = new Map(this.#buffered);
    await this.#deps.statuses.flush();
    for (const id of buffered.keys()) this.#buffered.delete(id);
    if (buffered.size > 0) await this.closeSettled(buffered);
  }

  async closeSettled(candidates: ReadonlyMap<string, SettlingPlan>): Promise<void> {
    const summaries = await this.summaries([...candidates.keys()]);
    await this.#close(candidates, { summaries, complete: new Set(), isRecent: () => false });
  }

  /** Sends of failed devices count no longer (R-I12), and their badges go back (R-C9). */
  async #revertFailed(
    results: ReadonlyMap<string, PlanResults>,
    summaries: ReadonlyMap<string, PlanSummary>,
  ): Promise<void> {
    const at = new Date(this.#deps.clock.now());
    const firstDay = firstDayNeeded(at.getTime());
    await awaitAll(
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
    { summaries, complete, isRecent }: ClosingPlans,
  ): Promise<void> {
    const open = [...candidates].flatMap(([id, { of, key }]) => {
      const summary = summaries.get(id);
      if (!summary || summary.settledAt) return [];
      return [{ id, of, key, slices: summary.slices, badged: badgedIn(summary) }];
    });
    const unconfirmed = open.filter(({ id }) => !complete.has(id) && !isRecent(id));
    const statuses = await this.#deps.statuses.find(unconfirmed.flatMap(({ key, slices }) => statusIdsOf(key, slices)));
    const at = new Date(this.#deps.clock.now());
    await awaitAll(
      open
        .filter(({ id, key, slices }) => complete.has(id) || isPlanSettled(key, slices, statuses))
        .map(async ({ id, of, key, slices, badged }) => {
          await this.#deps.plans.submit(planLogOf(key), { kind: 'settle', of, key, badged, at });
          this.#deps.recentPlans.delete(id);
          this.#buffered.delete(id);
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
      const setId = recipientSetId(each);
      numbers.set(setId, (numbers.get(setId) ?? new Set()).add(each.number));
    }
    const sets = results.failed.map(({ set }) => Bitmap.decode(set));
    plans.set(id, { of: each, key, numbers, failed: Bitmap.union([failed, ...sets]) });
  }
  return plans;
}

async function awaitAll(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}
