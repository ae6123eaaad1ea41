import { type ChunkKey, emittedUntilWith, pacedLimits, planId } from '@tidings/delivery';
import { sendIdOf } from '@tidings/kernel';
import type { Broker } from '@tidings/streaming';
import type { Paced } from '../emit/emission.ts';
import { type Passed, passedOnce } from '../emit/passed.ts';
import type { OutgoingMessages } from '../release/outgoing.ts';
import { isReleased, type Released } from '../release/outgoing-message.ts';
import type { Settling } from '../settle/settling.ts';
import type { Splits } from '../release/splits.ts';
import type { PacedMessages } from './paced-messages.ts';

/** Maximum number of rated messages at a time; the others wait until some rest. */
const MESSAGES_MAX = 100;
/** Delay of the next look at a message without a slice to emit: it doubles with each look at planned chunks, from the first to the second value. */
const REST_MS = { first: 1_000, longest: 8_000 };

export interface PacerDeps {
  readonly outgoing: OutgoingMessages;
  readonly paced: PacedMessages;
  readonly broker: Broker;
  readonly splits: Splits;
  readonly settling: Settling;
  /** Emits some of the due slices of a chunk, if it is planned; returns their number. */
  readonly emit: (message: Released, key: ChunkKey, paced: Paced) => Promise<number>;
}

/** The progress of a message, with all its steps, for this process; another one begins anew. */
interface Progress {
  /** Time until which its emitted slices are sent. */
  emittedUntil: number;
  /** No look before this time. */
  restUntil: number;
  /** The next rest. */
  restMs: number;
  /** Index of the chunk that is being emitted. */
  chunk: number;
}

/** A planned chunk that is not settled, and the message or step that it is of. */
interface OpenChunk {
  readonly of: Released;
  readonly key: ChunkKey;
}

/**
 * Emits the slices of messages with a send rate, a second ahead of their time (R-I11, sending 2). One process does it, by lease; two of them are
 * harmless, because the dispatchers send each slice once, and keep the rate themselves.
 */
export class Pacer {
  readonly #deps: PacerDeps;
  readonly #now: () => number;
  readonly #progress = new Map<string, Progress>();

  /** @param now milliseconds that pass evenly: pushes are not sent faster when the clock of a test is advanced */
  constructor(deps: PacerDeps, now = (): number => performance.now()) {
    this.#deps = deps;
    this.#now = now;
  }

  /** Emits what may be emitted now of all messages. */
  async run(): Promise<void> {
    const { outgoing, paced } = this.#deps;
    const now = this.#now();
    const isPaused = (code: string): boolean => (this.#progress.get(code)?.restUntil ?? 0) > now;
    const found = await outgoing.find(await paced.inTurn(MESSAGES_MAX, isPaused));
    // The steps of a message share its rate.
    const messages = Map.groupBy([...found.values()].filter(isReleased), ({ message }) => message);
    for (const [code, { emittedUntil }] of this.#progress) {
      if (!messages.has(code) && !isPaused(code) && emittedUntil <= now) this.#progress.delete(code);
    }
    if (messages.size === 0) return;
    const passed = passedOnce(this.#deps.broker);
    const ended = await Promise.allSettled([...messages.values()].map((steps) => this.#emit(steps, passed)));
    // The failure of one message must not keep the others from being emitted.
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Another process emits from now on. */
  rest(): void {
    this.#progress.clear();
  }

  /** @param steps the released steps of one message, or the message itself */
  async #emit(steps: readonly Released[], passed: Passed): Promise<void> {
    const { emit } = this.#deps;
    const { message: code, accepted } = steps[0]!;
    const { sendRate } = accepted;
    const progress = this.#progressOf(code);
    const now = this.#now();
    const limits = pacedLimits(sendRate, progress.emittedUntil, now);
    if (limits.slices === 0) return;
    const open = await this.#openChunks(steps);
    let left = limits.slices;
    // Once round all chunks, from the one that was emitted last.
    for (let looked = 0; looked < open.length && left > 0; looked++) {
      const index = progress.chunk % open.length;
      const { of, key } = open[index]!;
      const emitted = await emit(of, key, { ...limits, slices: left, passed });
      left -= emitted;
      progress.emittedUntil = emittedUntilWith(emitted, sendRate, progress.emittedUntil, now);
      if (left > 0) progress.chunk = (index + 1) % open.length;
    }
    if (left < limits.slices || open.length === 0) progress.restMs = REST_MS.first;
    if (left < limits.slices) return;
    progress.restUntil = now + progress.restMs;
    if (open.length > 0) progress.restMs = Math.min(2 * progress.restMs, REST_MS.longest);
  }

  #progressOf(code: string): Progress {
    const known = this.#progress.get(code);
    if (known) return known;
    const progress = { emittedUntil: 0, restUntil: 0, restMs: REST_MS.first, chunk: 0 };
    this.#progress.set(code, progress);
    return progress;
  }

  /** The planned chunks that are not settled. */
  async #openChunks(steps: readonly Released[]): Promise<readonly OpenChunk[]> {
    const { splits, settling } = this.#deps;
    const found = await splits.of(steps);
    const tasks = steps.flatMap((of) => (found.get(sendIdOf(of)) ?? []).map((key) => ({ of, key })));
    const plans = await settling.summaries(tasks.map(({ key }) => planId(key)));
    return tasks.filter(({ key }) => {
      const plan = plans.get(planId(key));
      return plan && !plan.settledAt;
    });
  }
}
