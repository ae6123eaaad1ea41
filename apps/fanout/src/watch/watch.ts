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
  sendableId,
  type SliceState,
  sliceState,
} from '@tidings/delivery';
import { type Clock, CLOCKS_AGREE_MS, clockSteps, sendIdOf } from '@tidings/kernel';
import type { Broker, Position } from '@tidings/streaming';
import type { SliceStateCounts } from './watch-metrics.ts';
import { publishTasks, type Releases, type Task, taskTopicOf } from '../release/releases.ts';
import type { OutgoingMessages } from '../release/outgoing.ts';
import { isRated, isReleased, laneOf, type Released } from '../release/outgoing-message.ts';
import { passedIn, passedOnce } from '../emit/passed.ts';
import type { Splits } from '../release/splits.ts';
import type { PlanSummary } from '../plan/known-plans.ts';
import { type Settling, statusIdsOf } from '../settle/settling.ts';
import type { SliceStatusesDocument, SliceStatusStore } from '../emit/slice-statuses.ts';

const SOON_MS = 5_000;
const TASK_MS = 30_000;
const LONGEST_MS = 7 * 3_600_000;
const TOGETHER = 100;

export interface WatchDeps {
  readonly clock: Clock;
  readonly broker: Broker;
  readonly outgoing: OutgoingMessages;
  readonly statuses: SliceStatusStore;
  readonly settling: Settling;
  readonly releases: Releases;
  readonly splits: Splits;
}

const noSlices = (): SliceStateCounts => ({ due: 0, inFlight: 0, deferred: 0 });
const states = Object.keys(noSlices()) as readonly SliceState['kind'][];

interface Finding {
  readonly message: Released;
  unsplit: boolean;
  readonly tasks: ChunkKey[];
  readonly open: ChunkKey[];
  readonly reasons: string[];
  readonly slices: SliceStateCounts;
  checkAt: number | undefined;
}

/** The watchdog only creates tasks, so that emission has one path. */
export class Watch {
  readonly #deps: WatchDeps;
  readonly #asked = new Map<string, { readonly topic: string; readonly position: Position }>();
  readonly #open = new Map<string, { readonly slices: SliceStateCounts; readonly checkAt: number }>();

  readonly #step: () => number;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.#step = clockSteps(deps.clock);
  }

  async run(signal?: AbortSignal): Promise<void> {
    const { clock, outgoing } = this.#deps;
    await outgoing.checkSooner(new Date(clock.now()), this.#step() < 0 ? 0 : LONGEST_MS);
    for (;;) {
      const codes = await outgoing.due(new Date(clock.now()), TOGETHER);
      await this.#act(codes);
      if (codes.length < TOGETHER || signal?.aborted) return;
    }
  }

  openSlices(): SliceStateCounts {
    const sum = noSlices();
    const now = this.#deps.clock.now();
    for (const [code, { slices, checkAt }] of this.#open) {
      // An overdue entry belongs to a completed message.
      if (now > checkAt + SOON_MS) this.#open.delete(code);
      else for (const state of states) sum[state] += slices[state];
    }
    return sum;
  }

  rest(): void {
    this.#open.clear();
  }

  async openMessages(limit: number): Promise<string[]> {
    const findings = await this.#look(await this.#deps.outgoing.open(limit));
    return findings.flatMap(({ message, reasons }) => reasons.map((reason) => `${sendIdOf(message)}: ${reason}`));
  }

  async #act(codes: readonly string[]): Promise<void> {
    const { outgoing, releases, settling } = this.#deps;
    const findings = await this.#look(codes);
    const failures: unknown[] = [];
    const attempted = (work: Promise<unknown>): Promise<unknown> =>
      work.catch((error: unknown) => failures.push(error));
    const unsplit = findings.filter((finding) => finding.unsplit);
    await Promise.all(unsplit.map(({ message }) => attempted(releases.release(message))));
    const open = findings.flatMap(({ message, open: keys }) => keys.map((key) => ({ of: message, key })));
    await attempted(settling.closeSettled(new Map(open.map((each) => [planId(each.key), each]))));
    await this.#ask(findings.flatMap(({ message, tasks }) => tasks.map((key) => ({ of: message, key }))));
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
  async #ask(tasks: readonly Task[]): Promise<void> {
    const { broker } = this.#deps;
    const lag = (await Promise.all([fanoutGroups.tasks, fanoutGroups.direct].map((group) => broker.lag(group)))).flat();
    for (const [id, { topic, position }] of this.#asked) if (passedIn(lag, topic)(position)) this.#asked.delete(id);
    const published = await publishTasks(
      broker,
      tasks.filter(({ key }) => !this.#asked.has(planId(key))),
    );
    for (const [{ of, key }, position] of published) this.#asked.set(planId(key), { topic: taskTopicOf(of), position });
  }

  async #look(codes: readonly string[]): Promise<Finding[]> {
    const messages = [...(await this.#deps.outgoing.find(codes)).values()].filter(isReleased);
    const splits = await this.#deps.splits.of(messages);
    const keys = [...splits.values()].flat();
    const plans = await this.#deps.settling.summaries(keys.map(planId));
    const open = keys.flatMap((key) => {
      const plan = plans.get(planId(key));
      return plan && !plan.settledAt ? [{ key, slices: plan.slices }] : [];
    });
    const statuses = await this.#deps.statuses.find(open.flatMap(({ key, slices }) => statusIdsOf(key, slices)));
    // The lag is read after the statuses, or slices emitted in between seem to be in no topic.
    const hasPassed = await this.#passed(new Set(open.flatMap(({ slices }) => slices.map(channelServing))));
    const look = new Look(this.#deps.clock.now(), plans, statuses, hasPassed);
    return messages.map((message) => look.at(message, splits.get(sendIdOf(message))));
  }

  async #passed(channels: ReadonlySet<string>): Promise<HasPassed> {
    const passed = passedOnce(this.#deps.broker);
    const asked = [...channels].flatMap((channel) => lanes.map((lane) => [channel, lane] as const));
    const found = await Promise.all(
      asked.map(async ([channel, lane]) => [`${channel} ${lane}`, await passed(channel, lane)] as const),
    );
    const known = new Map(found);
    return (channel, lane) => known.get(`${channel} ${lane}`) ?? (() => false);
  }
}

type HasPassed = (channel: string, lane: Lane) => (emission: Emission) => boolean;

class Look {
  readonly #now: number;
  readonly #plans: ReadonlyMap<string, PlanSummary>;
  readonly #statuses: ReadonlyMap<string, SliceStatusesDocument>;
  readonly #hasPassed: HasPassed;

  constructor(
    now: number,
    plans: ReadonlyMap<string, PlanSummary>,
    statuses: ReadonlyMap<string, SliceStatusesDocument>,
    hasPassed: HasPassed,
  ) {
    this.#now = now;
    this.#plans = plans;
    this.#statuses = statuses;
    this.#hasPassed = hasPassed;
  }

  at(message: Released, keys: readonly ChunkKey[] | undefined): Finding {
    const finding: Finding = {
      message,
      unsplit: false,
      checkAt: undefined,
      tasks: [],
      open: [],
      reasons: [],
      slices: noSlices(),
    };
    const ageMs = this.#now - message.releasedAt.getTime();
    const isLate = ageMs > TASK_MS || ageMs < -CLOCKS_AGREE_MS;
    if (!keys) {
      finding.unsplit = isLate;
      finding.reasons.push('not split into chunks');
      finding.checkAt = this.#now + (isLate ? TASK_MS : SOON_MS);
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
    sooner(finding, this.#now + (isLate ? TASK_MS : SOON_MS));
  }

  #planned(finding: Finding, key: ChunkKey, plan: PlanSummary): void {
    finding.open.push(key);
    let due = 0;
    let inFlight = 0;
    let isOpen = false;
    for (const { platform, variant, count } of plan.slices) {
      const statuses = this.#statuses.get(sendableId({ ...key, platform, variant }));
      const hasPassed = this.#hasPassed(channelServing({ platform, variant }), laneOf(finding.message));
      for (const number of openSlices(statuses, count)) {
        isOpen = true;
        const state = sliceState(openSliceOf(statuses, number), this.#now, hasPassed);
        if (state.kind === 'due') due++;
        else sooner(finding, state.checkAt);
        if (state.kind === 'inFlight') inFlight++;
        finding.slices[shownKind(finding.message, state)]++;
      }
    }
    const isAsked = needsTask(finding.message, due);
    if (isAsked) finding.tasks.push(key);
    // A pending task is not published again.
    if (isAsked || !isOpen) sooner(finding, this.#now + SOON_MS);
    else if (due > 0) sooner(finding, this.#now + TASK_MS);
    if (due + inFlight > 0 || !isOpen) {
      const counts = isOpen ? `${due} slices due, ${inFlight} in flight` : 'not closed';
      finding.reasons.push(`chunk ${key.application}/${key.chunk}: ${counts}`);
    }
  }
}

/** The pacer emits rated slices, each at its time. */
const needsTask = (message: Released, due: number): boolean => due > 0 && !isRated(message);
const shownKind = (message: Released, { kind }: SliceState): SliceState['kind'] =>
  kind === 'due' && isRated(message) ? 'deferred' : kind;

function sooner(finding: Finding, at: number): void {
  finding.checkAt = Math.min(finding.checkAt ?? Infinity, at);
}
