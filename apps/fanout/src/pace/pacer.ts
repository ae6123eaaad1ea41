import { type ChunkKey, emittedUntilWith, pacedLimits, planId } from '@tidings/delivery';
import { sendIdOf } from '@tidings/kernel';
import type { Broker } from '@tidings/streaming';
import type { Paced } from '../emit/emission.ts';
import { type ConsumedEmissions, consumedEmissions } from '../emit/consumed-emissions.ts';
import type { OutgoingMessages } from '../release/outgoing.ts';
import { isReleased, type Released } from '../release/outgoing-message.ts';
import type { Settling } from '../settle/settling.ts';
import type { FanoutChunks } from '../release/fanout-chunks.ts';
import type { PacedMessages } from './paced-messages.ts';

const MESSAGES_MAX = 100;
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
    const found = await outgoing.find(await paced.nextByAccount(MESSAGES_MAX, isPaused));
    const messages = Map.groupBy([...found.values()].filter(isReleased), ({ message }) => message);
    for (const [code, { emittedUntil }] of this.#progress) {
      if (!messages.has(code) && !isPaused(code) && emittedUntil <= now) this.#progress.delete(code);
    }
    if (messages.size === 0) return;
    const consumed = consumedEmissions(this.#deps.broker);
    const ended = await Promise.allSettled([...messages.values()].map((steps) => this.#emit(steps, consumed)));
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }

  reset(): void {
    this.#progress.clear();
  }

  async #emit(steps: readonly Released[], consumed: ConsumedEmissions): Promise<void> {
    const { emit } = this.#deps;
    const { message: code, accepted } = steps[0]!;
    const { sendRate } = accepted;
    const progress = this.#progressOf(code);
    const now = performance.now();
    const limits = pacedLimits(sendRate, progress.emittedUntil, now);
    if (limits.slices === 0) return;
    const open = await this.#openChunks(steps);
    let remaining = limits.slices;
    for (let visited = 0; visited < open.length && remaining > 0; visited++) {
      const index = progress.chunk % open.length;
      const { of, key } = open[index]!;
      const emitted = await emit(of, key, { ...limits, slices: remaining, consumed });
      remaining -= emitted;
      progress.emittedUntil = emittedUntilWith(emitted, sendRate, progress.emittedUntil, now);
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
    const progress = { emittedUntil: 0, pausedUntil: 0, pauseMs: PAUSE_MS.first, chunk: 0 };
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
