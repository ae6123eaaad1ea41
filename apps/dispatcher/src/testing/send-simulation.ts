import {
  dueSlices,
  isSettled,
  openSliceOf,
  type RecipientSetKey,
  recipientSetId,
  settledBit,
  sliceId,
  SLICES_PER_BATCH,
  statusChange,
} from '@tidings/delivery';
import { type SendBatch, SliceOutcome } from '@tidings/events';
import type { Channel } from '../channels/channel-port.ts';
import { WorkerLease } from '../attempts/worker-lease.ts';
import { Dispatch } from '../receive/dispatch.ts';
import { Paces } from '../pace/pace.ts';
import { StoppedMessages } from '../stop/stopped-messages.ts';
import { Throttles } from '../throttle/throttles.ts';
import { type PlannedSet, planSets } from './planned-sets.ts';
import { content, sendBatch } from './test-batches.ts';
import {
  type Journey,
  MemoryAttempts,
  MemoryLeases,
  MemoryPaces,
  MemoryStops,
  MemoryThrottles,
  MemoryValues,
} from './memory-store.ts';
import { noMetrics } from './no-metrics.ts';
import { checkRun, type PlannedSlice } from './check-run.ts';
import { SimulatedProvider } from './simulated-provider.ts';
import { VirtualTime } from './virtual-time.ts';

/** A deferral from before the clock was set back is as long as six hours. */
const LONGEST_MS = 7 * 3_600_000;
const START = 1_800_000_000_000;
const SECOND = 1000;
const CHUNKS = 6;

class Statuses {
  readonly emitted: Record<string, readonly [partition: number, offset: number, at: number]> = {};
  readonly deferred: Record<string, number> = {};
  readonly settled: Record<string, number> = {};

  setEmitted(number: number, record: number, at: number): void {
    this.emitted[number] = [0, record, at];
  }

  record(outcome: SliceOutcome): void {
    const change = statusChange(outcome);
    if (!change) return;
    if ('settled' in change) {
      const { word, bit } = settledBit(change.settled);
      this.settled[word] = (this.settled[word] ?? 0) | bit;
    } else this.deferred[change.deferred] = Math.max(this.deferred[change.deferred] ?? 0, change.until);
  }
}

interface Process {
  readonly kind: 'fanout' | 'dispatcher';
  readonly name: string;
  readonly boot: (process: Process) => void;
  dead: boolean;
  failed: boolean;
  frozenUntil: number;
  readonly claiming: Set<string>;
}

interface SendResults {
  readonly errors: readonly string[];
  readonly stats: Readonly<Record<string, number>>;
}

export function generator(seed: number): () => number {
  let r = seed >>> 0;
  return () => {
    r = (r + 0x6d2b79f5) | 0;
    let t = Math.imul(r ^ (r >>> 15), 1 | r);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * The send protocol under kills, freezes, set clocks, lost records, throttles and unreachable providers, over the real dispatcher and stores in
 * memory. Deterministic by seed.
 */
export class SendSimulation {
  readonly #random: () => number;
  readonly #time = new VirtualTime(START);
  readonly #atMostOnce: boolean;
  readonly #attempts = new MemoryAttempts();
  readonly #leases = new MemoryLeases();
  readonly #throttles = new MemoryThrottles();
  readonly #paces = new MemoryPaces();
  readonly #stops = new MemoryStops(this.#attempts, () => (this.#stoppedAt ??= this.#time.now()));
  readonly #stopAt: number | undefined;
  #isStopPublished = false;
  /** Nothing is written a second later. */
  #stoppedAt: number | undefined;
  readonly #late: string[] = [];
  readonly #values = new MemoryValues();
  /** Devices change between any two deliveries of a batch. */
  #version = 0;
  readonly #sendRate: number;
  readonly #provider: SimulatedProvider;
  readonly #sets: PlannedSet[] = [];
  readonly #plan = new Map<string, PlannedSlice>();
  readonly #sliceOf = new Map<string, string>();
  readonly #devices: string[] = [];
  readonly #statuses = new Map<string, Statuses>();
  readonly #deferred = new Set<string>();
  readonly #records: { readonly slices: readonly string[]; readonly lost: boolean }[] = [];
  #committed = 0;
  readonly #outcomes: SliceOutcome[] = [];
  readonly #processes: Process[] = [];
  readonly #suspicious = new Set<string>();
  readonly #takenOver = new Set<string>();
  readonly #repeated: string[] = [];
  readonly #stats = { kills: 0, freezes: 0, lost: 0, forgotten: 0, reemitted: 0, steps: 0 };

  constructor(seed: number, atMostOnce: boolean, isStopped = false) {
    this.#random = generator(seed);
    if (isStopped) this.#stopAt = START + this.#random() * 60 * SECOND;
    this.#atMostOnce = atMostOnce;
    this.#sendRate = seed % 3 === 0 ? 1_000 : 0;
    this.#provider = new SimulatedProvider(this.#time, this.#random);
    const period = (longest: number): readonly [number, number] => {
      const from = START + this.#random() * 60 * SECOND;
      return [from, from + this.#random() * longest];
    };
    for (let chunk = 0; chunk < CHUNKS; chunk++) {
      this.#provider.addCredential(period(20 * SECOND), period(10 * SECOND));
      const { devices, sets } = planSets(chunk, START + this.#random() * 60 * SECOND, this.#random);
      this.#devices.push(...devices);
      for (const device of devices) this.#provider.addDevice(device);
      for (const set of sets) this.#add(set);
    }
  }

  #add(set: PlannedSet): void {
    this.#sets.push(set);
    this.#statuses.set(recipientSetId(set.key), new Statuses());
    for (const slice of set.slices) {
      const id = sliceId(slice.identity);
      this.#plan.set(id, slice);
      for (const device of slice.devices) this.#sliceOf.set(device, id);
    }
  }

  #statusesOf(key: RecipientSetKey): Statuses {
    return this.#statuses.get(recipientSetId(key))!;
  }

  async run(): Promise<SendResults> {
    for (const kind of ['fanout', 'fanout', 'dispatcher', 'dispatcher'] as const) this.#start(kind);
    this.#record(0);
    for (let i = 0; i < 8; i++) {
      this.#time.at(this.#random() * 60 * SECOND, () => {
        const living = this.#processes.filter(({ dead }) => !dead);
        const victim = living[this.#int(living.length)];
        if (!victim) return;
        if (this.#random() < 0.5) this.#kill(victim);
        else this.#freeze(victim, (1 + this.#random() * 25) * SECOND);
      });
    }
    for (let i = 0; i < 3; i++) this.#time.at(this.#random() * 60 * SECOND, () => this.#setClock());
    if (this.#stopAt !== undefined) this.#time.at(this.#stopAt - START, () => (this.#isStopPublished = true));
    const quietAfter = START + 90 * SECOND;
    const settled = (): boolean =>
      this.#time.now() > quietAfter && [...this.#plan.values()].every((slice) => this.#isRecordedSettled(slice));
    await this.#time.run(START + LONGEST_MS, settled);
    const { errors, counts } = checkRun({
      plan: this.#plan,
      devices: this.#devices,
      attempts: this.#attempts.byId,
      values: this.#values,
      isRecordedSettled: (slice) => this.#isRecordedSettled(slice),
      outcomes: this.#outcomes,
      provider: this.#provider,
      suspicious: this.#suspicious,
      repeated: this.#repeated,
      atMostOnce: this.#atMostOnce,
      isStopped: this.#stoppedAt !== undefined,
    });
    const late = this.#late.map((device) => `device ${device} on the wire more than 1 s after the stop`);
    return { errors: [...errors, ...late], stats: { ...this.#stats, ...this.#provider.stats, ...counts } };
  }

  #int(n: number): number {
    return Math.floor(this.#random() * n);
  }

  #start(kind: Process['kind'], boot = kind === 'fanout' ? this.#fanout : this.#dispatcher): void {
    const name = `${kind}-${this.#processes.length}`;
    const process: Process = { kind, name, boot, dead: false, failed: false, frozenUntil: 0, claiming: new Set() };
    this.#processes.push(process);
    boot.call(this, process);
  }

  #alive(process: Process): () => boolean | number {
    return () => (process.dead ? false : process.frozenUntil > this.#time.now() ? process.frozenUntil : true);
  }

  #suspect(process: Process): void {
    process.failed = true;
    for (const id of process.claiming) this.#suspicious.add(id);
    for (const [id, { attempt }] of this.#attempts.byId) {
      if (attempt.state === 'settled' || !attempt.owner.startsWith(`${process.name}/`)) continue;
      const awaitsAnswers =
        attempt.state === 'deferred' && attempt.deferral.progress.some(({ outcomeUnknown }) => outcomeUnknown);
      if (attempt.state === 'claimed' || awaitsAnswers) this.#suspicious.add(id);
    }
  }

  #kill(process: Process): void {
    this.#stats.kills++;
    this.#suspect(process);
    process.dead = true;
    this.#time.at((1 + this.#int(8)) * SECOND, () => this.#start(process.kind, process.boot));
  }

  #freeze(process: Process, ms: number): void {
    this.#stats.freezes++;
    this.#suspect(process);
    process.frozenUntil = this.#time.now() + ms;
  }

  #setClock(): void {
    this.#stats.steps++;
    const ms = 10 ** (3 + 4 * this.#random());
    this.#time.clock.step(this.#random() < 0.5 ? ms : -ms);
  }

  /** A call takes effect even if its process dies; only a live process gets the answer. */
  #journey(process: Process): Journey {
    return (effect) =>
      new Promise((resolve) => {
        this.#time.at(this.#random() * 100, () => {
          const result = effect();
          this.#time.at(this.#random() * 100, () => resolve(result), this.#alive(process));
        });
      });
  }

  /** Repeats are harmless. */
  #fanout(process: Process): void {
    const tick = (): void => {
      const now = this.#time.clock.now();
      for (const { key, slices, plannedAt } of this.#sets) {
        if (this.#time.now() < plannedAt) continue;
        const statuses = this.#statusesOf(key);
        const due = dueSlices(statuses, slices.length, now, ({ offset }) => this.#committed > offset);
        this.#stats.reemitted += due.filter((number) => openSliceOf(statuses, number).emitted).length;
        for (let i = 0; i < due.length; i += SLICES_PER_BATCH) {
          const ids = due.slice(i, i + SLICES_PER_BATCH).map((number) => sliceId({ ...key, number }));
          this.#emit(process, ids);
        }
      }
      this.#time.at((1 + this.#random()) * SECOND, tick, this.#alive(process));
    };
    this.#time.at(this.#random() * SECOND, tick, this.#alive(process));
  }

  #emit(process: Process, slices: readonly string[]): void {
    const record = this.#records.length;
    const lost = this.#random() < 0.03;
    if (lost) this.#stats.lost++;
    this.#records.push({ slices, lost });
    const emittedAt = this.#time.clock.now();
    this.#time.at(
      this.#random() * 300,
      () => {
        for (const id of slices) {
          const { identity } = this.#plan.get(id)!;
          this.#statusesOf(identity).setEmitted(identity.number, record, emittedAt);
        }
      },
      this.#alive(process),
    );
  }

  #isRecordedSettled({ identity }: PlannedSlice): boolean {
    return isSettled(this.#statusesOf(identity), identity.number);
  }

  #record(read: number): void {
    for (const outcome of this.#outcomes.slice(read)) this.#statusesOf(outcome).record(outcome);
    const next = this.#outcomes.length;
    this.#time.at(500, () => this.#record(next));
  }

  #dispatcher(process: Process): void {
    const alive = this.#alive(process);
    const timers = this.#time.timers(alive);
    const journey = this.#journey(process);
    const attempts = this.#attempts.over(journey);
    const store: typeof attempts = {
      ...attempts,
      claim: async (id, settings, attempt) => {
        if (attempt.state === 'claimed') process.claiming.add(id);
        const before = await attempts.claim(id, settings, attempt);
        process.claiming.delete(id);
        return before;
      },
      takeOver: async (id, from, to) => {
        // A call in transit when the process failed may have claimed it.
        const failed = this.#processes.find(({ name }) => from.startsWith(`${name}/`));
        if (failed?.failed) this.#suspicious.add(id);
        const takeover = await attempts.takeOver(id, from, to);
        // The slice may have ended by then.
        if (takeover) this.#takenOver.add(id);
        return takeover;
      },
    };
    const fail = (error: unknown): void => {
      throw error;
    };
    const throttles = new Throttles({ store: this.#throttles.over(journey), clock: this.#time.clock, onError: fail });
    const refresh = (): void => {
      void throttles.refresh();
      this.#time.at(SECOND, refresh, alive);
    };
    refresh();
    const workerLease = new WorkerLease({
      name: process.name,
      store: this.#leases.over(timers, journey),
      timers,
      onError: fail,
    });
    const stops = new StoppedMessages({
      store: this.#stops.over(journey),
      clock: this.#time.clock,
      timers,
      isAlone: () => false,
      onError: fail,
    });
    this.#followStops(process, stops);
    const dispatch = new Dispatch({
      lane: 'broadcast',
      stops,
      channel: this.#channel(process),
      store,
      values: this.#values.over(journey),
      workerLease,
      throttles,
      paces: new Paces({ store: this.#paces.over(journey), timers, onError: () => undefined }),
      publish: ({ value, isSettled }) => journey(() => this.#publish(SliceOutcome.decode(value), isSettled)),
      clock: this.#time.clock,
      timers,
      random: this.#random,
      metrics: noMetrics,
      log: { error: fail, warn: () => undefined },
    });
    workerLease.start();
    dispatch.start();
    this.#consume(process, dispatch);
  }

  /** A part may be lost, repeated or late. A fan-out that is killed forgets slices that have just settled and were never deferred (ADR 80). */
  #publish(outcome: SliceOutcome, isSettled: boolean): void {
    const id = sliceId(outcome);
    if (isSettled && !this.#deferred.has(id) && this.#random() < 0.5) return void this.#stats.forgotten++;
    if (!isSettled) this.#deferred.add(id);
    const draw = isSettled ? 1 : this.#random();
    if (draw < 0.1) return;
    if (draw < 0.3) this.#time.at(this.#random() * 30 * SECOND, () => void this.#outcomes.push(outcome));
    if (draw > 0.2) this.#outcomes.push(outcome);
  }

  /** The first live dispatcher reads the stop, and again unless it has stored it. */
  #followStops(process: Process, stops: StoppedMessages): void {
    const alive = this.#alive(process);
    const again = (): void => void this.#time.at(100, loop, alive);
    const loop = (): void => {
      if (!this.#isStopPublished || this.#reader() !== process) return again();
      stops.record([sendBatch([]).message]).then(() => (this.#isStopPublished = this.#random() < 0.3), again);
      again();
    };
    this.#time.at(this.#random() * SECOND, loop, alive);
  }

  #reader(): Process | undefined {
    return this.#processes.find(
      ({ kind, dead, frozenUntil }) => kind === 'dispatcher' && !dead && frozenUntil <= this.#time.now(),
    );
  }

  /** Records are delivered again until the first live dispatcher handles them. */
  #consume(process: Process, dispatch: Dispatch): void {
    const alive = this.#alive(process);
    const again = (ms: number): void => void this.#time.at(ms, loop, alive);
    const loop = (): void => {
      const record = this.#records[this.#committed];
      if (this.#reader() !== process || !record) return again(300);
      const at = this.#committed;
      const commit = (): void => {
        this.#committed = Math.max(this.#committed, at + 1);
        again(10);
      };
      if (record.lost) return commit();
      dispatch.handle([this.#batch(record.slices)]).then(
        (done) => (done === 1 ? this.#time.at(1, commit, alive) : again(300)),
        () => again(300),
      );
    };
    this.#time.at(this.#random() * SECOND, loop, alive);
  }

  #batch(ids: readonly string[]): SendBatch {
    const planned = ids.map((id) => this.#plan.get(id)!);
    const values = [`version ${this.#version++}`];
    const slices = planned.map(({ identity: { number }, devices }) => ({
      number,
      devices: devices.map((token) => ({ token, values, position: Number(token.split('.')[1]) })),
    }));
    const releasedAt = new Date(START);
    const { chunk, platform, variant } = planned[0]!.identity;
    // Several credentials: throttling one of them does not delay others.
    const credential = { application: `credential-${chunk}`, platform: 1, version: 1 };
    const sendRate = this.#sendRate;
    return sendBatch(slices, {
      content: content({ tags: ['Version'] }),
      chunk,
      platform,
      variant,
      credential,
      releasedAt,
      sendRate,
      atMostOnce: this.#atMostOnce,
    });
  }

  #channel(process: Process): Channel {
    return {
      open: async (job) => this.#provider.sender(job, { alive: this.#alive(process), pushed: this.#pushed }),
      ttlSeconds: () => undefined,
      renew: async () => 0,
      applications: () => [],
      forget: () => undefined,
      close: () => undefined,
    };
  }

  readonly #pushed = (device: string): void => {
    if (this.#stoppedAt !== undefined && this.#time.now() > this.#stoppedAt + SECOND) this.#late.push(device);
    const isRepeat = this.#provider.pushesTo(device) > 1 + this.#provider.refusalsOf(device);
    if (isRepeat && this.#takenOver.has(this.#sliceOf.get(device)!)) this.#repeated.push(device);
  };
}
