import { describe, expect, it } from '@jest/globals';
import { type SendResult, apnsRefusal, localResults, sent } from '@tidings/channels';
import { type Settled, answered, isSettled, openSliceOf, settledBit, sliceId, sliceState } from '@tidings/delivery';
import { type FailedSet, type SendBatch, SliceOutcome } from '@tidings/events';
import { Bitmap, Fault } from '@tidings/kernel';
import type { Channel, Job, PushListener, Sender } from './channels/port.ts';
import { Dispatch } from './receive/dispatch.ts';
import { WorkerLease } from './claim/worker-lease.ts';
import { sendBatch } from './testing/batches.ts';
import { type Journey, MemoryAttempts, MemoryLeases, MemoryThrottles } from './testing/memory-store.ts';
import { noMetrics } from './testing/no-metrics.ts';
import { VirtualTime } from './testing/virtual-time.ts';
import { Throttles } from './throttle/throttles.ts';

/*
 * The send protocol under kills, freezes, lost records, 429s, late and missing answers, throttled credentials and providers that cannot be
 * reached: two fan-out workers that emit and watch by the rule of libs/delivery, two dispatchers (the real ones, over stores in memory), an
 * at-least-once topic. When
 * the dust settles every planned device has exactly one terminal state, the fan-out knows it, and every duplicate on the wire belongs to a
 * device that was never answered, or to a slice whose owner had died or been frozen while it was open.
 */

const START = 1_800_000_000_000;
const SECOND = 1000;
const CHUNKS = 2;
const SLICES = 6;
const TARGETS = 8;

const unregistered = apnsRefusal(410, '{"reason":"Unregistered"}').result;
const tooMany = apnsRefusal(429, '{"reason":"TooManyRequests"}').result;
const unavailable = apnsRefusal(503, '{"reason":"ServiceUnavailable"}').result;
/** Answers of slow devices come before they are waited for no more, those of silent ones never. */
const SLOWEST = 28 * SECOND;

/** The slice statuses of a chunk, as the updates of the fan-out's store leave them. */
class Statuses {
  readonly emitted: Record<string, readonly [partition: number, offset: number, at: number]> = {};
  readonly deferred: Record<string, number> = {};
  readonly settled: Record<string, number> = {};

  setEmitted(number: number, record: number, at: number): void {
    this.emitted[number] = [0, record, at];
  }

  setSettled(number: number): void {
    const { word, bit } = settledBit(number);
    this.settled[word] = (this.settled[word] ?? 0) | bit;
  }

  setDeferred(number: number, until: number): void {
    this.deferred[number] = Math.max(this.deferred[number] ?? 0, until);
  }
}

interface Process {
  readonly kind: 'fanout' | 'dispatcher';
  readonly name: string;
  readonly boot: (process: Process) => void;
  dead: boolean;
  /** It was killed or frozen at some time. */
  failed: boolean;
  frozenUntil: number;
  /** Slices whose claim is on its way. */
  readonly claiming: Set<string>;
}

interface PlannedSlice {
  readonly chunk: number;
  readonly number: number;
  readonly devices: readonly string[];
  readonly plannedAt: number;
}

interface SendResults {
  readonly errors: string[];
  readonly stats: Record<Stat, number>;
}

type Stat =
  'kills' | 'freezes' | 'lost' | 'duplicates' | 'reemitted' | 'deferred' | 'unknown' | 'late' | 'throttled' | 'unready';

function generator(seed: number): () => number {
  let r = seed >>> 0;
  return () => {
    r = (r + 0x6d2b79f5) | 0;
    let t = Math.imul(r ^ (r >>> 15), 1 | r);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const within = ([from, to]: readonly [number, number], now: number): boolean => now >= from && now < to;

class World {
  readonly #random: () => number;
  readonly #time = new VirtualTime(START);
  readonly #atMostOnce: boolean;
  readonly #attempts = new MemoryAttempts();
  readonly #leases = new MemoryLeases();
  readonly #throttles = new MemoryThrottles();
  /** When the provider throttles the credential of a chunk, and when it cannot be reached: from and to. */
  readonly #throttled: (readonly [number, number])[] = [];
  readonly #down: (readonly [number, number])[] = [];
  readonly #plan = new Map<string, PlannedSlice>();
  readonly #fate = new Map<string, 'ok' | 'dead' | 'busy' | 'slow' | 'silent'>();
  readonly #busyUntil = new Map<string, number>();
  readonly #wire = new Map<string, number>();
  /** Answers that ask for a repeat. */
  readonly #refusals = new Map<string, number>();
  readonly #statuses = Array.from({ length: CHUNKS }, () => new Statuses());
  readonly #records: { readonly slices: readonly string[]; readonly lost: boolean }[] = [];
  #committed = 0;
  readonly #outcomes: SliceOutcome[] = [];
  readonly #processes: Process[] = [];
  /** Slices that were open in a process when it was killed or frozen. */
  readonly #suspicious = new Set<string>();
  readonly #takenOver = new Set<string>();
  readonly #repeated: string[] = [];
  readonly stats: SendResults['stats'] = {
    kills: 0,
    freezes: 0,
    lost: 0,
    duplicates: 0,
    reemitted: 0,
    deferred: 0,
    unknown: 0,
    late: 0,
    throttled: 0,
    unready: 0,
  };

  constructor(seed: number, atMostOnce: boolean) {
    this.#random = generator(seed);
    this.#atMostOnce = atMostOnce;
    const spell = (longest: number): readonly [number, number] => {
      const from = START + this.#random() * 60 * SECOND;
      return [from, from + this.#random() * longest];
    };
    for (let chunk = 0; chunk < CHUNKS; chunk++) {
      this.#throttled.push(spell(20 * SECOND));
      this.#down.push(spell(10 * SECOND));
      for (let number = 0; number < SLICES; number++) {
        const devices = Array.from({ length: TARGETS }, (_, i) => `${chunk}.${number * TARGETS + i}`);
        const plannedAt = START + this.#random() * 60 * SECOND;
        this.#plan.set(sliceId({ ...sendBatch([]), chunk, number }), { chunk, number, devices, plannedAt });
        for (const device of devices) {
          const chance = this.#random();
          const fates = [
            [0.1, 'dead'],
            [0.2, 'busy'],
            [0.3, 'slow'],
            [0.32, 'silent'],
          ] as const;
          this.#fate.set(device, fates.find(([below]) => chance < below)?.[1] ?? 'ok');
        }
      }
    }
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
    const quiet = START + 90 * SECOND;
    const settled = (): boolean =>
      this.#time.now() > quiet && [...this.#plan.values()].every((slice) => this.#isRecordedSettled(slice));
    await this.#time.run(START + 1500 * SECOND, settled);
    return { errors: this.#errors(), stats: this.stats };
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
    this.stats.kills++;
    this.#suspect(process);
    process.dead = true;
    this.#time.at((1 + this.#int(8)) * SECOND, () => this.#start(process.kind, process.boot));
  }

  #freeze(process: Process, ms: number): void {
    this.stats.freezes++;
    this.#suspect(process);
    process.frozenUntil = this.#time.now() + ms;
  }

  /** What a process has sent arrives even if it dies; the answer reaches it only if it lives. */
  #journey(process: Process): Journey {
    return (effect) =>
      new Promise((resolve) => {
        this.#time.at(this.#random() * 100, () => {
          const result = effect();
          this.#time.at(this.#random() * 100, () => resolve(result), this.#alive(process));
        });
      });
  }

  /** Emits what is neither settled nor waiting, and watches; repeats are harmless. */
  #fanout(process: Process): void {
    const tick = (): void => {
      const now = this.#time.now();
      const due = [...this.#plan.keys()].filter((id) => {
        const slice = this.#plan.get(id)!;
        if (this.#isRecordedSettled(slice) || now < slice.plannedAt) return false;
        const open = openSliceOf(this.#statuses[slice.chunk], slice.number);
        const isDue = sliceState(open, now, ({ offset }) => this.#committed > offset).kind === 'due';
        if (isDue && open.emitted) this.stats.reemitted++;
        return isDue;
      });
      for (let chunk = 0; chunk < CHUNKS; chunk++) {
        const slices = due.filter((id) => this.#plan.get(id)!.chunk === chunk);
        for (let i = 0; i < slices.length; i += 4) this.#emit(process, slices.slice(i, i + 4));
      }
      this.#time.at((1 + this.#random()) * SECOND, tick, this.#alive(process));
    };
    this.#time.at(this.#random() * SECOND, tick, this.#alive(process));
  }

  #emit(process: Process, slices: readonly string[]): void {
    const record = this.#records.length;
    const lost = this.#random() < 0.03;
    if (lost) this.stats.lost++;
    this.#records.push({ slices, lost });
    const emittedAt = this.#time.now();
    this.#time.at(
      this.#random() * 300,
      () => {
        for (const id of slices) {
          const { chunk, number } = this.#plan.get(id)!;
          this.#statuses[chunk]!.setEmitted(number, record, emittedAt);
        }
      },
      this.#alive(process),
    );
  }

  #isRecordedSettled({ chunk, number }: PlannedSlice): boolean {
    return isSettled(this.#statuses[chunk], number);
  }

  /** Records outcomes; the statuses are durable. */
  #record(read: number): void {
    for (const outcome of this.#outcomes.slice(read)) {
      const statuses = this.#statuses[outcome.chunk]!;
      if (outcome.outcome?.$case === 'settled') statuses.setSettled(outcome.number);
      else if (outcome.outcome) statuses.setDeferred(outcome.number, Number(outcome.outcome.value.until));
    }
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
      claim: async (id, place, attempt) => {
        if (attempt.state === 'claimed') process.claiming.add(id);
        const before = await attempts.claim(id, place, attempt);
        process.claiming.delete(id);
        return before;
      },
      takeOver: async (id, from, to) => {
        // It may have been claimed by a call that was on its way when the process failed.
        const failed = this.#processes.find(({ name }) => from.startsWith(`${name}/`));
        if (failed?.failed) this.#suspicious.add(id);
        const taken = await attempts.takeOver(id, from, to);
        // It may have come to its end by then.
        if (taken) this.#takenOver.add(id);
        return taken;
      },
    };
    const fail = (error: unknown): void => {
      throw error;
    };
    const throttles = new Throttles({ store: this.#throttles.over(journey), clock: this.#time, onError: fail });
    const refresh = (): void => {
      void throttles.refresh();
      this.#time.at(SECOND, refresh, alive);
    };
    refresh();
    const workerLease = new WorkerLease({
      name: process.name,
      store: this.#leases.over(journey),
      timers,
      onError: fail,
    });
    const dispatch = new Dispatch({
      lane: 'broadcast',
      channel: this.#channel(process),
      store,
      workerLease,
      throttles,
      publish: ({ value }) => journey(() => void this.#outcomes.push(SliceOutcome.decode(value))),
      clock: this.#time,
      timers,
      random: this.#random,
      metrics: noMetrics,
      log: { error: fail, warn: () => undefined },
    });
    workerLease.start();
    dispatch.start();
    this.#consume(process, dispatch);
  }

  /** The partition belongs to the first dispatcher that answers; a record is delivered again until somebody has got over it. */
  #consume(process: Process, dispatch: Dispatch): void {
    const alive = this.#alive(process);
    const again = (ms: number): void => void this.#time.at(ms, loop, alive);
    const loop = (): void => {
      const owner = this.#processes.find(
        ({ kind, dead, frozenUntil }) => kind === 'dispatcher' && !dead && frozenUntil <= this.#time.now(),
      );
      const record = this.#records[this.#committed];
      if (owner !== process || !record) return again(300);
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
    const slices = planned.map(({ number, devices }) => ({
      number,
      devices: devices.map((token) => ({ token, position: Number(token.split('.')[1]) })),
    }));
    const releasedAt = new Date(START);
    const { chunk } = planned[0]!;
    // Several credentials: what one of them is told to wait holds up no other.
    const credential = { application: `credential-${chunk}`, platform: 1, version: 1 };
    return sendBatch(slices, { chunk, credential, releasedAt, atMostOnce: this.#atMostOnce });
  }

  #channel(process: Process): Channel {
    return {
      open: async (job) => this.#sender(process, job),
      ttlSeconds: () => undefined,
      applications: () => [],
      forget: () => undefined,
      close: () => undefined,
    };
  }

  #sender(process: Process, { batch, columns }: Job): Sender {
    const { chunk } = batch;
    let free = 2;
    const waiting: (() => void)[] = [];
    const push = (device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' => {
      if (free === 0) return 'busy';
      free--;
      const name = `${chunk}.${columns.positions[device]!}`;
      this.#wire.set(name, (this.#wire.get(name) ?? 0) + 1);
      const number = Math.floor(columns.positions[device]! / TARGETS);
      if (this.#takenOver.has(sliceId({ ...batch, number }))) this.#repeated.push(name);
      const { result, retryAfterMs, afterMs } = this.#answer(name, chunk);
      const latest = deadline - this.#time.now();
      if (afterMs > 5 * SECOND) this.stats.late++;
      this.#time.at(
        Math.min(afterMs, latest),
        () => {
          free++;
          if (afterMs > latest) listener.answered(tag, localResults.timeout);
          else listener.answered(tag, result, { retryAfterMs });
          waiting.shift()?.();
        },
        this.#alive(process),
      );
      return 'written';
    };
    return {
      credential: `fingerprint-${chunk}`,
      settings: { reference: `credential-${chunk}/1`, version: 1 },
      prepare: async () => {
        if (!within(this.#down[chunk]!, this.#time.now())) return undefined;
        this.stats.unready++;
        throw Fault.unavailable('down');
      },
      trouble: () => localResults.unreachable,
      push,
      whenReady: (run) => void waiting.push(run),
      downUntil: () => 0,
      refresh: async () => undefined,
    };
  }

  #answer(device: string, chunk: number): { result: SendResult; retryAfterMs: number; afterMs: number } {
    const now = this.#time.now();
    const fate = this.#fate.get(device);
    const afterMs = this.#random() * (this.#random() < 0.3 ? 1100 : 300);
    const throttled = this.#throttled[chunk]!;
    if (within(throttled, now)) {
      this.stats.throttled++;
      this.#refused(device);
      return { result: unavailable, retryAfterMs: throttled[1] - now, afterMs };
    }
    if (fate === 'dead') return { result: unregistered, retryAfterMs: 0, afterMs };
    if (fate === 'slow') return { result: sent, retryAfterMs: 0, afterMs: this.#random() * SLOWEST };
    if (fate === 'silent' && this.#wire.get(device) === 1) return { result: sent, retryAfterMs: 0, afterMs: Infinity };
    if (fate !== 'busy') return { result: sent, retryAfterMs: 0, afterMs };
    if (!this.#busyUntil.has(device)) this.#busyUntil.set(device, now + (3 + this.#int(20)) * SECOND);
    const left = this.#busyUntil.get(device)! - now;
    if (left <= 0) return { result: sent, retryAfterMs: 0, afterMs };
    this.#refused(device);
    return { result: tooMany, retryAfterMs: left, afterMs };
  }

  #refused(device: string): void {
    this.#refusals.set(device, (this.#refusals.get(device) ?? 0) + 1);
  }

  #errors(): string[] {
    const errors: string[] = [];
    for (const [id, planned] of this.#plan) {
      const attempt = this.#attempts.byId.get(id)?.attempt;
      if (attempt?.state !== 'settled') errors.push(`slice ${id} is ${attempt?.state ?? 'never claimed'}`);
      else {
        if (!this.#isRecordedSettled(planned)) errors.push(`slice ${id} is settled but not recorded so`);
        this.#checkSettled(errors, id, planned, attempt);
      }
    }
    this.#checkOutcomes(errors);
    this.#checkWire(errors);
    if (this.#atMostOnce) errors.push(...this.#repeated.map((device) => `device ${device} repeated after a take-over`));
    return errors;
  }

  #checkSettled(errors: string[], id: string, { devices, chunk }: PlannedSlice, { results }: Settled): void {
    if (answered(results).size !== devices.length) errors.push(`slice ${id} has devices without an outcome`);
    const sizes = [...results.sent, ...results.failed].map(({ set }) => Bitmap.decode(set).size);
    if (sizes.reduce((a, b) => a + b, 0) !== devices.length) errors.push(`slice ${id} has devices with two outcomes`);
    for (const { set } of results.sent) {
      for (const position of Bitmap.decode(set).positions()) {
        const device = `${chunk}.${position}`;
        if (!this.#wire.has(device)) errors.push(`device ${device} sent but never on the wire`);
      }
    }
    for (const each of results.failed) this.#checkFailed(errors, id, each);
  }

  #checkFailed(errors: string[], id: string, { category, name, set }: FailedSet): void {
    const { chunk } = this.#plan.get(id)!;
    for (const position of Bitmap.decode(set).positions()) {
      if (name === localResults.unknownOutcome.name) {
        this.stats.unknown++;
        if (!this.#atMostOnce) errors.push(`device ${chunk}.${position} given up`);
        if (!this.#suspicious.has(id) && this.#fate.get(`${chunk}.${position}`) !== 'silent')
          errors.push(`device ${chunk}.${position} unknown though its owner never failed`);
      } else if (category !== 'INVALID_TOKEN' || this.#fate.get(`${chunk}.${position}`) !== 'dead') {
        errors.push(`device ${chunk}.${position} failed with ${name}`);
      }
    }
  }

  #checkOutcomes(errors: string[]): void {
    const said = new Map<string, string>();
    for (const outcome of this.#outcomes) {
      if (outcome.outcome?.$case !== 'settled') {
        this.stats.deferred++;
        continue;
      }
      const id = sliceId(outcome);
      const bytes = Buffer.from(SliceOutcome.encode(outcome).finish()).toString('hex');
      if ((said.get(id) ?? bytes) !== bytes) errors.push(`slice ${id} settled in two ways`);
      said.set(id, bytes);
    }
  }

  #checkWire(errors: string[]): void {
    for (const [id, { devices }] of this.#plan) {
      for (const device of devices) {
        const times = this.#wire.get(device) ?? 0;
        // Refusals are repeated, and so is what was never answered.
        const refusals = this.#refusals.get(device) ?? 0;
        const allowed = 1 + refusals + (this.#fate.get(device) === 'silent' && !this.#atMostOnce ? 1 : 0);
        if (times <= allowed) continue;
        this.stats.duplicates++;
        if (!this.#suspicious.has(id))
          errors.push(`device ${device} on the wire ${times} times though its owner never failed`);
      }
    }
  }
}

const RUNS = Number(process.env['TIDINGS_SIM_RUNS'] ?? 12);
const SEED = Number(process.env['TIDINGS_SIM_SEED'] ?? 1);

describe('the send protocol under kills and freezes', () => {
  it.each([
    ['repeats what is ambiguous', false],
    ['gives up what is ambiguous with at most once', true],
  ])(
    '%s',
    async (_, atMostOnce) => {
      const wrong: string[] = [];
      const total: Record<string, number> = {};
      for (let run = 0; run < RUNS; run++) {
        const seed = SEED * 100_003 + run;
        const { errors, stats } = await new World(seed, atMostOnce).run();
        wrong.push(...errors.slice(0, 4).map((error) => `seed ${seed}: ${error}`));
        for (const [name, count] of Object.entries(stats)) total[name] = (total[name] ?? 0) + count;
      }
      expect(wrong).toEqual([]);
      expect(total['kills']! + total['freezes']!).toBeGreaterThan(4 * RUNS);
      for (const stat of ['deferred', 'late', 'throttled', 'unready']) expect(total[stat]).toBeGreaterThan(0);
      // eslint-disable-next-line no-console -- wanted when many runs are asked for
      if (process.env['TIDINGS_SIM_RUNS']) console.log({ atMostOnce, runs: RUNS, ...total });
    },
    600_000,
  );
});
