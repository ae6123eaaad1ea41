import { definitions, inLanguage, localResults, sent, type SendResult } from '@tidings/channels';
import { type SendBatch, SliceOutcome } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { Channel, Job, PushListener, Sender } from '../channels/channel-port.ts';
import { Dispatch } from '../receive/dispatch.ts';
import { WorkerLease } from '../attempts/worker-lease.ts';
import { StoppedMessages } from '../stop/stopped-messages.ts';
import { Throttles } from '../throttle/throttles.ts';
import { Paces } from '../pace/pace.ts';
import { MemoryAttempts, MemoryLeases, MemoryPaces, MemoryStops, MemoryThrottles } from './memory-store.ts';
import { noMetrics } from './no-metrics.ts';
import { noValues } from './no-values.ts';
import { VirtualTime } from './virtual-time.ts';

export interface VirtualAnswer {
  readonly afterMs: number;
  readonly result?: SendResult;
  readonly retryAfterMs?: number;
}

/** Times are milliseconds since the start. */
export interface VirtualProvider {
  readonly answer: (token: string, now: number) => VirtualAnswer;
  /** Infinity = never. @default 0 */
  readonly readyAfterMs?: (now: number) => number;
  readonly isDown?: (now: number) => boolean;
  readonly answersForMs?: number;
  readonly fingerprint?: string;
}

export interface WrittenPush {
  readonly application: string;
  readonly token: string;
  readonly at: number;
  readonly ageSeconds: number | undefined;
}

const START = 1_800_000_000_000;
const STREAMS = 1_000;

export class VirtualLane {
  readonly time = new VirtualTime(START);
  readonly attempts: MemoryAttempts;
  readonly leases = new MemoryLeases();
  readonly written: WrittenPush[] = [];
  readonly outcomes: { readonly at: number; readonly outcome: SliceOutcome }[] = [];
  readonly dispatch: Dispatch;
  brokerIsDown = false;
  readonly throttles: Throttles;
  readonly stops: StoppedMessages;
  readonly #providers: Readonly<Record<string, VirtualProvider>>;
  readonly #streams = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];

  constructor(providers: Readonly<Record<string, VirtualProvider>>, attempts = new MemoryAttempts()) {
    this.#providers = providers;
    this.attempts = attempts;
    const timers = this.time.timers(() => true);
    const onError = (error: unknown): void => {
      throw error;
    };
    this.throttles = new Throttles({ store: new MemoryThrottles().over(), clock: this.time.clock, onError });
    const workerLease = new WorkerLease({ name: 'lane', store: this.leases.over(timers), timers, onError });
    this.stops = new StoppedMessages({
      store: new MemoryStops(attempts).over(),
      clock: this.time.clock,
      timers,
      isAlone: () => true,
      onError,
    });
    this.dispatch = new Dispatch({
      lane: 'direct',
      channel: this.#channel(),
      store: this.attempts.over(),
      values: noValues,
      workerLease,
      throttles: this.throttles,
      stops: this.stops,
      paces: new Paces({ store: new MemoryPaces().over(), timers, onError }),
      publish: async ({ value }) => {
        if (this.brokerIsDown) throw Fault.unavailable('down');
        this.outcomes.push({ at: this.now, outcome: SliceOutcome.decode(value) });
      },
      clock: this.time.clock,
      timers,
      random: () => 0.5,
      metrics: noMetrics,
      log: { error: onError, warn: () => undefined },
    });
    workerLease.start();
    this.dispatch.start();
  }

  get now(): number {
    return this.time.now() - START;
  }

  pass(ms: number): Promise<void> {
    return this.time.run(this.time.now() + ms);
  }

  firstOf(application: string): number | undefined {
    return this.written.find((push) => push.application === application)?.at;
  }

  settledOf(application: string): number {
    return this.outcomes.filter(
      ({ outcome }) => outcome.application === application && outcome.outcome?.$case === 'settled',
    ).length;
  }

  #channel(): Channel {
    return {
      open: async (job) => this.#sender(job),
      ttlSeconds: (batch: SendBatch, language: string) => definitions.apns.ttlSecondsOf(inLanguage(batch, language)),
      renew: async () => 0,
      applications: () => [],
      forget: () => undefined,
      close: () => undefined,
    };
  }

  #sender({ batch, columns }: Job): Sender {
    const { application } = batch;
    const provider = this.#providers[application]!;
    const text = Buffer.from(columns.tokens).toString();
    return {
      credential: provider.fingerprint ?? application,
      settings: { reference: `${application}/1`, version: batch.credential!.version },
      answersForMs: provider.answersForMs,
      prepare: async () => {
        if (provider.isDown?.(this.now)) throw Fault.unavailable('down');
        const afterMs = provider.readyAfterMs?.(this.now) ?? 0;
        if (afterMs > 0) await new Promise<void>((resolve) => this.time.at(afterMs, resolve));
        return undefined;
      },
      failure: () => localResults.unreachable,
      push: (device, tag, deadline, listener) => {
        const streams = this.#streams.get(application) ?? 0;
        if (streams === STREAMS) return 'busy';
        this.#streams.set(application, streams + 1);
        const token = text.slice(columns.tokenEnds[device - 1] ?? 0, columns.tokenEnds[device]);
        this.written.push({ application, token, at: this.now, ageSeconds: batch.ageSeconds });
        this.#answer(application, provider.answer(token, this.now), deadline, tag, listener);
        return 'written';
      },
      whenReady: (run) => void this.#waiting.push(run),
      downUntil: () => 0,
      refresh: async () => undefined,
    };
  }

  #answer(application: string, answer: VirtualAnswer, deadline: number, tag: number, listener: PushListener): void {
    const { afterMs, result = sent, retryAfterMs = 0 } = answer;
    const latest = deadline - this.time.now();
    this.time.at(Math.min(afterMs, latest), () => {
      this.#streams.set(application, this.#streams.get(application)! - 1);
      if (afterMs > latest) listener.answered(tag, localResults.timeout);
      else listener.answered(tag, result, { retryAfterMs });
      for (const run of this.#waiting.splice(0)) run();
    });
  }
}
