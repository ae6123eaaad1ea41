import { type ChunkKey, emittedUntilWith, type PacedLimits, pacedLimits, planId } from '@tidings/delivery';
import { sendIdOf } from '@tidings/kernel';
import type { Broker } from '@tidings/streaming';
import type { Paced } from '../emit/emission.ts';
import { type ConsumedEmissions, consumedEmissions } from '../emit/consumed-emissions.ts';
import type { OutgoingMessages } from '../release/outgoing.ts';
import { isReleased, type Released } from '../release/outgoing-message.ts';
import type { Settling } from '../settle/settling.ts';
import type { FanoutChunks } from '../release/fanout-chunks.ts';
import type { PacedMessage, PacedMessages } from './paced-messages.ts';

const MESSAGES_MAX = 100;
/** At once, in parts that hardly delay the other messages. */
const STOPPED: PacedLimits = { slices: 1_000, inFlight: Infinity };
const PAUSE_MS = { first: 1_000, longest: 8_000 };

export interface PacerDeps {
  readonly outgoing: OutgoingMessages;
  readonly paced: PacedMessages;
  readonly broker: Broker;
  readonly fanoutChunks: FanoutChunks;
  readonly settling: Settling;
  readonly emit: (message: Released, key: ChunkKey, paced: Paced) => Promise<number>;
}

interface Progress {
  emittedUntil: number;
  pausedUntil: number;
  pauseMs: number;
  chunk: number;
  isStopped: boolean;
}

interface OpenChunk {
  readonly of: Released;
  readonly key: ChunkKey;
}

/** Two pacers are harmless: dispatchers send each slice once, and keep the rate (R-I11). */
export class Pacer {
  readonly #deps: PacerDeps;
  readonly #progress = new Map<string, Progress>();

  constructor(deps: PacerDeps) {
    this.#deps = deps;
  }

  async run(): Promise<void> {
    const { outgoing, paced } = this.#deps;
    // Monotonic: advancing the test clock sends nothing faster.
    const now = performance.now();
    const isPaused = (code: string): boolean => (this.#progress.get(code)?.pausedUntil ?? 0) > now;
    const isWaiting = ({ code, isStopped }: Pick<PacedMessage, 'code' | 'isStopped'>): boolean =>
      isPaused(code) && this.#progress.get(code)!.isStopped === isStopped;
    const due = await paced.nextByAccount(MESSAGES_MAX, isWaiting);
    const stopped = new Set(due.flatMap(({ code, isStopped }) => (isStopped ? [code] : [])));
    const found = await outgoing.find(due.flatMap(({ ids }) => ids));
    const messages = Map.groupBy([...found.values()].filter(isReleased), ({ message }) => message);
    for (const [code, { emittedUntil }] of this.#progress) {
      if (!messages.has(code) && !isPaused(code) && emittedUntil <= now) this.#progress.delete(code);
    }
    if (messages.size === 0) return;
    const consumed = consumedEmissions(this.#deps.broker);
    const ended = await Promise.allSettled(
      [...messages].map(([code, steps]) => this.#emit(steps, stopped.has(code), consumed)),
    );
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }

  reset(): void {
    this.#progress.clear();
  }

  /** Nothing of a stopped message is sent, so it needs no rate. */
  async #emit(steps: readonly Released[], isStopped: boolean, consumed: ConsumedEmissions): Promise<void> {
    const { emit } = this.#deps;
    const { message: code, accepted } = steps[0]!;
    const { sendRate } = accepted;
    const progress = this.#progressOf(code);
    const now = performance.now();
    progress.isStopped = isStopped;
    const limits = isStopped ? STOPPED : pacedLimits(sendRate, progress.emittedUntil, now);
    if (limits.slices === 0) return;
    const open = await this.#openChunks(steps);
    let remaining = limits.slices;
    for (let visited = 0; visited < open.length && remaining > 0; visited++) {
      const index = progress.chunk % open.length;
      const { of, key } = open[index]!;
      const emitted = await emit(of, key, { ...limits, slices: remaining, consumed });
      remaining -= emitted;
      if (!isStopped) progress.emittedUntil = emittedUntilWith(emitted, sendRate, progress.emittedUntil, now);
      if (remaining > 0) progress.chunk = (index + 1) % open.length;
    }
    if (remaining < limits.slices || open.length === 0) progress.pauseMs = PAUSE_MS.first;
    if (remaining < limits.slices) return;
    progress.pausedUntil = now + progress.pauseMs;
    if (open.length > 0) progress.pauseMs = Math.min(2 * progress.pauseMs, PAUSE_MS.longest);
  }

  #progressOf(code: string): Progress {
    const existing = this.#progress.get(code);
    if (existing) return existing;
    const progress = { emittedUntil: 0, pausedUntil: 0, pauseMs: PAUSE_MS.first, chunk: 0, isStopped: false };
    this.#progress.set(code, progress);
    return progress;
  }

  async #openChunks(steps: readonly Released[]): Promise<readonly OpenChunk[]> {
    const { fanoutChunks, settling } = this.#deps;
    const found = await fanoutChunks.of(steps);
    const tasks = steps.flatMap((of) => (found.get(sendIdOf(of)) ?? []).map((key) => ({ of, key })));
    const plans = await settling.summaries(tasks.map(({ key }) => planId(key)));
    return tasks.filter(({ key }) => {
      const plan = plans.get(planId(key));
      return plan && !plan.settledAt;
    });
  }
}
