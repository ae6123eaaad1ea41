import { channelServing } from '@tidings/channels';
import {
  type ChunkKey,
  type Emission,
  fanoutGroups,
  type Lane,
  lanes,
  openSliceOf,
  openSlices,
  planId,
  recipientSetId,
  type SliceState,
  sliceState,
} from '@tidings/delivery';
import { type Clock, CLOCKS_AGREE_MS, clockSteps, sendIdOf } from '@tidings/kernel';
import type { Broker, Position } from '@tidings/streaming';
import type { SliceStateCounts } from './watch-metrics.ts';
import { publishTasks, type Releases, type Task, taskTopicOf } from '../release/releases.ts';
import type { OutgoingMessages } from '../release/outgoing.ts';
import { isRated, isReleased, laneOf, type Released } from '../release/outgoing-message.ts';
import { consumedIn, consumedEmissions } from '../emit/consumed-emissions.ts';
import type { FanoutChunks } from '../release/fanout-chunks.ts';
import type { PlanSummary } from '../plan/recent-plans.ts';
import { type Settling, statusIdsOf } from '../settle/settling.ts';
import type { SliceStatusesDocument, SliceStatusStore } from '../emit/slice-statuses.ts';

const RECHECK_MS = 5_000;
const TASK_MS = 30_000;
const MAX_CHECK_DELAY_MS = 7 * 3_600_000;
const IMPOSSIBLE_EVERY_MS = 30_000;
const BATCH_SIZE = 100;

export interface WatchDeps {
  readonly clock: Clock;
  readonly broker: Broker;
  readonly outgoing: OutgoingMessages;
  readonly statuses: SliceStatusStore;
  readonly settling: Settling;
  readonly releases: Releases;
  readonly fanoutChunks: FanoutChunks;
}

const noSlices = (): SliceStateCounts => ({ due: 0, inFlight: 0, deferred: 0 });
const states = Object.keys(noSlices()) as readonly SliceState['kind'][];

interface Finding {
  readonly message: Released;
  needsRelease: boolean;
  readonly tasks: ChunkKey[];
  readonly open: ChunkKey[];
  readonly reasons: string[];
  readonly slices: SliceStateCounts;
  checkAt: number | undefined;
}

/** The watchdog only creates tasks, so that emission has one path. */
export class Watch {
  readonly #deps: WatchDeps;
  readonly #pendingTasks = new Map<string, { readonly topic: string; readonly position: Position }>();
  readonly #open = new Map<string, { readonly slices: SliceStateCounts; readonly checkAt: number }>();

  readonly #step: () => number;
  #checkedImpossibleAt = -Infinity;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.#step = clockSteps(deps.clock);
  }

  async run(signal?: AbortSignal): Promise<void> {
    const { clock, outgoing } = this.#deps;
    const isSetBack = this.#step() < 0;
    if (isSetBack || performance.now() - this.#checkedImpossibleAt >= IMPOSSIBLE_EVERY_MS) {
      await outgoing.checkSooner(new Date(clock.now()), isSetBack ? 0 : MAX_CHECK_DELAY_MS);
      this.#checkedImpossibleAt = performance.now();
    }
    for (;;) {
      const codes = await outgoing.due(new Date(clock.now()), BATCH_SIZE);
      await this.#act(codes);
      if (codes.length < BATCH_SIZE || signal?.aborted) return;
    }
  }

  openSlices(): SliceStateCounts {
    const sum = noSlices();
    const now = this.#deps.clock.now();
    for (const [code, { slices, checkAt }] of this.#open) {
      // An overdue entry belongs to a completed message.
      if (now > checkAt + RECHECK_MS) this.#open.delete(code);
      else for (const state of states) sum[state] += slices[state];
    }
    return sum;
  }

  reset(): void {
    this.#open.clear();
  }

  async openMessages(limit: number): Promise<string[]> {
    const findings = await this.#check(await this.#deps.outgoing.open(limit));
    return findings.flatMap(({ message, reasons }) => reasons.map((reason) => `${sendIdOf(message)}: ${reason}`));
  }

  async #act(codes: readonly string[]): Promise<void> {
    const { outgoing, releases, settling } = this.#deps;
    const findings = await this.#check(codes);
    const failures: unknown[] = [];
    const attempted = (work: Promise<unknown>): Promise<unknown> =>
      work.catch((error: unknown) => failures.push(error));
    const unreleased = findings.filter((finding) => finding.needsRelease);
    await Promise.all(unreleased.map(({ message }) => attempted(releases.release(message))));
    const open = findings.flatMap(({ message, open: keys }) => keys.map((key) => ({ of: message, key })));
    await attempted(settling.closeSettled(new Map(open.map((each) => [planId(each.key), each]))));
    await this.#publishTasks(findings.flatMap(({ message, tasks }) => tasks.map((key) => ({ of: message, key }))));
    const times = new Map<string, Date | undefined>(codes.map((code) => [code, undefined]));
    for (const code of codes) this.#open.delete(code);
    for (const { message, checkAt, slices } of findings) {
      const id = sendIdOf(message);
      times.set(id, checkAt === undefined ? undefined : new Date(checkAt));
      if (checkAt !== undefined) this.#open.set(id, { slices, checkAt });
    }
    await outgoing.reschedule(times);
    if (failures.length > 0) throw failures[0];
  }

  /** Repeated tasks would pile up under load. */
  async #publishTasks(tasks: readonly Task[]): Promise<void> {
    const { broker } = this.#deps;
    const lag = (await Promise.all([fanoutGroups.tasks, fanoutGroups.direct].map((group) => broker.lag(group)))).flat();
    for (const [id, { topic, position }] of this.#pendingTasks)
      if (consumedIn(lag, topic)(position)) this.#pendingTasks.delete(id);
    const published = await publishTasks(
      broker,
      tasks.filter(({ key }) => !this.#pendingTasks.has(planId(key))),
    );
    for (const [{ of, key }, position] of published)
      this.#pendingTasks.set(planId(key), { topic: taskTopicOf(of), position });
  }

  async #check(codes: readonly string[]): Promise<Finding[]> {
    const messages = [...(await this.#deps.outgoing.find(codes)).values()].filter(isReleased);
    const keysBySend = await this.#deps.fanoutChunks.of(messages);
    const keys = [...keysBySend.values()].flat();
    const plans = await this.#deps.settling.summaries(keys.map(planId));
    const open = keys.flatMap((key) => {
      const plan = plans.get(planId(key));
      return plan && !plan.settledAt ? [{ key, slices: plan.slices }] : [];
    });
    const statuses = await this.#deps.statuses.find(open.flatMap(({ key, slices }) => statusIdsOf(key, slices)));
    // The lag is read after the statuses, to include slices emitted in between.
    const isConsumed = await this.#consumed(new Set(open.flatMap(({ slices }) => slices.map(channelServing))));
    const check = new WatchCheck(this.#deps.clock.now(), plans, statuses, isConsumed);
    return messages.map((message) => check.at(message, keysBySend.get(sendIdOf(message))));
  }

  async #consumed(channels: ReadonlySet<string>): Promise<ConsumedCheck> {
    const consumed = consumedEmissions(this.#deps.broker);
    const pairs = [...channels].flatMap((channel) => lanes.map((lane) => [channel, lane] as const));
    const found = await Promise.all(
      pairs.map(async ([channel, lane]) => [`${channel} ${lane}`, await consumed(channel, lane)] as const),
    );
    const predicates = new Map(found);
    return (channel, lane) => predicates.get(`${channel} ${lane}`) ?? (() => false);
  }
}

type ConsumedCheck = (channel: string, lane: Lane) => (emission: Emission) => boolean;

class WatchCheck {
  readonly #now: number;
  readonly #plans: ReadonlyMap<string, PlanSummary>;
  readonly #statuses: ReadonlyMap<string, SliceStatusesDocument>;
  readonly #isConsumed: ConsumedCheck;

  constructor(
    now: number,
    plans: ReadonlyMap<string, PlanSummary>,
    statuses: ReadonlyMap<string, SliceStatusesDocument>,
    isConsumed: ConsumedCheck,
  ) {
    this.#now = now;
    this.#plans = plans;
    this.#statuses = statuses;
    this.#isConsumed = isConsumed;
  }

  at(message: Released, keys: readonly ChunkKey[] | undefined): Finding {
    const finding: Finding = {
      message,
      needsRelease: false,
      checkAt: undefined,
      tasks: [],
      open: [],
      reasons: [],
      slices: noSlices(),
    };
    const ageMs = this.#now - message.releasedAt.getTime();
    const isLate = ageMs > TASK_MS || ageMs < -CLOCKS_AGREE_MS;
    if (!keys) {
      finding.needsRelease = isLate;
      finding.reasons.push('not split into chunks');
      finding.checkAt = this.#now + (isLate ? TASK_MS : RECHECK_MS);
      return finding;
    }
    for (const key of keys) {
      const plan = this.#plans.get(planId(key));
      if (plan?.settledAt) continue;
      if (plan) this.#planned(finding, key, plan);
      else this.#unplanned(finding, key, isLate);
    }
    return finding;
  }

  #unplanned(finding: Finding, key: ChunkKey, isLate: boolean): void {
    finding.reasons.push(`chunk ${key.application}/${key.chunk} not planned`);
    if (isLate) finding.tasks.push(key);
    checkBy(finding, this.#now + (isLate ? TASK_MS : RECHECK_MS));
  }

  #planned(finding: Finding, key: ChunkKey, plan: PlanSummary): void {
    finding.open.push(key);
    let due = 0;
    let inFlight = 0;
    let isOpen = false;
    for (const { platform, variant, count } of plan.slices) {
      const statuses = this.#statuses.get(recipientSetId({ ...key, platform, variant }));
      const isConsumed = this.#isConsumed(channelServing({ platform, variant }), laneOf(finding.message));
      for (const number of openSlices(statuses, count)) {
        isOpen = true;
        const state = sliceState(openSliceOf(statuses, number), this.#now, isConsumed);
        if (state.kind === 'due') due++;
        else checkBy(finding, state.checkAt);
        if (state.kind === 'inFlight') inFlight++;
        finding.slices[reportedKind(finding.message, state)]++;
      }
    }
    const isTaskDue = needsTask(finding.message, due);
    if (isTaskDue) finding.tasks.push(key);
    // A pending task is not published again.
    if (isTaskDue || !isOpen) checkBy(finding, this.#now + RECHECK_MS);
    else if (due > 0) checkBy(finding, this.#now + TASK_MS);
    if (due + inFlight > 0 || !isOpen) {
      const counts = isOpen ? `${due} slices due, ${inFlight} in flight` : 'not closed';
      finding.reasons.push(`chunk ${key.application}/${key.chunk}: ${counts}`);
    }
  }
}

const needsTask = (message: Released, due: number): boolean => due > 0 && !isRated(message);
const reportedKind = (message: Released, { kind }: SliceState): SliceState['kind'] =>
  kind === 'due' && isRated(message) ? 'deferred' : kind;

function checkBy(finding: Finding, at: number): void {
  finding.checkAt = Math.min(finding.checkAt ?? Infinity, at);
}
