import { type ChunkKey, emittedUntilWith, pacedLimits, planId } from '@tidings/delivery';
import { sendIdOf } from '@tidings/kernel';
import type { BufferPool } from '../buffer-pool.ts';
import type { Chunks } from '../chunks.ts';
import type { Passed } from '../emit/passed.ts';
import type { OutgoingMessages, Released } from '../release/outgoing.ts';
import { isReleased } from '../release/outgoing.ts';
import type { Settling } from '../settle/settling.ts';
import type { Splits } from '../watch/splits.ts';

/** Maximum number of rated messages at a time; the others wait for the first to end. */
const MESSAGES_MAX = 100;
/** Delay of the next look at a message without a slice to emit. */
const REST_MS = 1_000;

export interface PacerDeps {
  readonly outgoing: OutgoingMessages;
  readonly chunks: Chunks;
  readonly splits: Splits;
  readonly settling: Settling;
  readonly pool: BufferPool;
}

/** The progress of a message, for this process; another one begins anew. */
interface Progress {
  /** Time until which its emitted slices are sent. */
  emittedUntil: number;
  /** No look before this time. */
  restUntil: number;
  /** Index of the chunk that is being emitted. */
  chunk: number;
}

/**
 * Emits the slices of messages with a send rate, a second ahead of their time (R-I11, sending 2). One process does it, by lease; two of them are
 * harmless, because the dispatchers send each slice once, and keep the rate themselves.
 */
export class Pacer {
  readonly #deps: PacerDeps;
  readonly #now: () => number;
  readonly #progress = new Map<string, Progress>();

  /** @param now the system's time: pushes are not sent faster when the clock of a test is advanced */
  constructor(deps: PacerDeps, now: () => number = Date.now) {
    this.#deps = deps;
    this.#now = now;
  }

  /** Emits what may be emitted now of all messages. */
  async run(): Promise<void> {
    const { outgoing } = this.#deps;
    const ids = await outgoing.paced(MESSAGES_MAX);
    for (const id of this.#progress.keys()) if (!ids.includes(id)) this.#progress.delete(id);
    if (ids.length === 0) return;
    const messages = [...(await outgoing.find(ids)).values()].filter(isReleased);
    const passed = this.#deps.chunks.passed();
    const ended = await Promise.allSettled(messages.map((message) => this.#emit(message, passed)));
    // The failure of one message must not keep the others from being emitted.
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Another process emits from now on. */
  rest(): void {
    this.#progress.clear();
  }

  async #emit(message: Released, passed: Passed): Promise<void> {
    const { chunks, pool } = this.#deps;
    const { sendRate } = message.accepted;
    const progress = this.#progressOf(sendIdOf(message));
    const now = this.#now();
    const limits = pacedLimits(sendRate, progress.emittedUntil, now);
    if (limits.slices === 0 || progress.restUntil > now) return;
    const keys = await this.#openChunks(message);
    let left = limits.slices;
    // Once round all chunks, from the one that was emitted last.
    for (let looked = 0; looked < keys.length && left > 0; looked++) {
      const index = progress.chunk % keys.length;
      const emitted = await chunks.emitPaced(message, keys[index]!, pool, { ...limits, slices: left, passed });
      left -= emitted;
      progress.emittedUntil = emittedUntilWith(emitted, sendRate, progress.emittedUntil, now);
      if (left > 0) progress.chunk = (index + 1) % keys.length;
    }
    if (left === limits.slices) progress.restUntil = now + REST_MS;
  }

  #progressOf(id: string): Progress {
    let progress = this.#progress.get(id);
    if (!progress) this.#progress.set(id, (progress = { emittedUntil: 0, restUntil: 0, chunk: 0 }));
    return progress;
  }

  /** The planned chunks that are not settled. */
  async #openChunks(message: Released): Promise<readonly ChunkKey[]> {
    const { splits, settling } = this.#deps;
    const keys = (await splits.of([message])).get(sendIdOf(message)) ?? [];
    const plans = await settling.summaries(keys.map(planId));
    return keys.filter((key) => {
      const plan = plans.get(planId(key));
      return plan && !plan.settledAt;
    });
  }
}
