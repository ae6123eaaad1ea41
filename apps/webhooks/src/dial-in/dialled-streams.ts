import { every, type Periodic } from '@tidings/coordination';
import { NO_ENDPOINT } from '../subscriptions/endpoint.ts';
import type { SubscriptionStore } from '../subscriptions/subscription-store.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { Stream } from '../streams/event-stream.ts';
import type { StreamDeps } from '../streams/stream-deps.ts';
import type { ProgressStore } from '../streams/stream-progress.ts';
import type { Lease } from '../streams/streams.ts';
import type { Admitted, Credentials } from './admission.ts';
import type { DialledCall } from './dialled-call.ts';
import { MAX_STREAMS_PER_TOKEN, type Refusal, refusalOf, refusals } from './refusals.ts';

const ROUND_MS = 1_000;
/** A revoked token is refused within 5 s (R-T1). */
const CHECK_EVERY_MS = 3_000;
const MAX_OPENING = 64;
const MAX_WAITING = 8;
const NO_OWNERS: ReadonlySet<string> = new Set();

export interface DialledStreamsDeps extends Omit<StreamDeps, 'save' | 'isOwner' | 'connect' | 'hungUp'> {
  readonly lease: Lease;
  readonly subscriptions: Pick<SubscriptionStore, 'find'>;
  readonly progress: Pick<ProgressStore, 'claim' | 'save' | 'release' | 'owners'>;
  readonly admit: (credentials: Credentials) => Promise<Admitted>;
}

interface Dialled {
  readonly stream: Stream;
  readonly call: DialledCall;
  readonly token: string;
  checkedAt: number;
}

/** Dialling hangs up an earlier consumer, in whichever process (R-EV7). */
export class DialledStreams {
  readonly #deps: DialledStreamsDeps;
  readonly #dialled = new Map<string, Dialled>();
  /** Steps of one subscription follow each other. */
  readonly #steps = new Map<string, Promise<void>>();
  readonly #rounds: Periodic;
  readonly #waiting = new Map<string, number>();
  #opening = 0;
  #isClosing = false;

  constructor(deps: DialledStreamsDeps) {
    this.#deps = deps;
    this.#rounds = every(ROUND_MS, () => this.#round(), { name: 'dialled streams', log: deps.log });
  }

  async dial(call: DialledCall): Promise<void> {
    try {
      const admitted = await this.#admit(call);
      await this.#wait(call, admitted);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== error) this.#deps.log.warn({ err: error }, 'dialled stream failed');
      call.end(refusal);
    }
  }

  changed(): Promise<void> {
    return this.#rounds.now();
  }

  wake(log: string): void {
    for (const { stream } of this.#dialled.values()) if (stream.log === log) stream.wake();
  }

  async due(): Promise<string[]> {
    const dialled = [...this.#dialled];
    const due = await Promise.all(dialled.map(([, { stream }]) => stream.isDue()));
    return dialled.filter((_, i) => due[i]).map(([id]) => id);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#rounds.stop();
    await Promise.all([...this.#dialled.keys()].map((id) => this.#hangUp(id, refusals.stopping())));
  }

  async #admit(call: Credentials): Promise<Admitted> {
    if (this.#opening >= MAX_OPENING) throw refusals.busy();
    this.#opening++;
    try {
      return await this.#deps.admit(call);
    } finally {
      this.#opening--;
    }
  }

  async #wait(call: DialledCall, admitted: Admitted): Promise<void> {
    const { id } = admitted.subscription;
    const waiting = this.#waiting.get(id) ?? 0;
    if (waiting >= MAX_WAITING) throw refusals.busy();
    this.#waiting.set(id, waiting + 1);
    try {
      await this.#sequentially(id, () => this.#begin(call, admitted));
    } finally {
      const remaining = this.#waiting.get(id)! - 1;
      if (remaining > 0) this.#waiting.set(id, remaining);
      else this.#waiting.delete(id);
    }
  }

  async #begin(call: DialledCall, { subscription, token }: Admitted): Promise<void> {
    const { progress, lease, admit: _, subscriptions: __, log, ...deps } = this.#deps;
    const { id } = subscription;
    // The earlier stream stores its progress before it is read here.
    await this.#stop(id, refusals.takenOver());
    if (this.#isClosing) throw refusals.stopping();
    if (this.#streamsOf(token) >= MAX_STREAMS_PER_TOKEN) throw refusals.tooMany();
    if (call.isOver) return;
    const claimed = await progress.claim(subscription, lease.owner, NO_OWNERS);
    if (!claimed) throw refusals.takenOver();
    const stream: Stream = new Stream(subscription, claimed, {
      ...deps,
      log: log.child({ subscription: id }),
      connect: async ({ listener }) => call.link(listener),
      hungUp: () => void this.#hangUp(id, refusals.silent(), stream),
      save: (reached) => progress.save(id, lease.owner, reached),
      isOwner: () => lease.isHeld(),
    });
    this.#dialled.set(id, { stream, call, token, checkedAt: performance.now() });
  }

  #streamsOf(token: string): number {
    let count = 0;
    for (const dialled of this.#dialled.values()) if (dialled.token === token) count++;
    return count;
  }

  async #hangUp(id: string, refusal: Refusal, stream = this.#dialled.get(id)?.stream): Promise<void> {
    await this.#sequentially(id, async () => {
      if (this.#dialled.get(id)?.stream === stream) await this.#stop(id, refusal);
    }).catch((error: unknown) => this.#deps.log.warn({ err: error }, 'dialled stream failed'));
  }

  async #stop(id: string, refusal: Refusal): Promise<void> {
    const dialled = this.#dialled.get(id);
    if (!dialled) return;
    this.#dialled.delete(id);
    const { stream, call } = dialled;
    try {
      await stream.stop();
      await this.#deps.progress.release(id, this.#deps.lease.owner);
    } finally {
      call.end(call.isOver ? undefined : refusal);
    }
  }

  async #round(): Promise<void> {
    const ids = [...this.#dialled.keys()];
    if (ids.length === 0) return;
    const { progress, lease, subscriptions } = this.#deps;
    const owners = await progress.owners(ids);
    await Promise.all(
      ids.map(async (id) => {
        const dialled = this.#dialled.get(id);
        if (!dialled) return;
        const { stream } = dialled;
        const subscription = await subscriptions.find(id);
        const isOwned = owners.get(id) === lease.owner && !stream.isLost;
        const refusal = isOwned ? await this.#refusalOf(dialled, subscription) : refusals.takenOver();
        if (refusal) return this.#hangUp(id, refusal, stream);
        stream.update(subscription!);
        // Other processes send no signal of their commits.
        if (lease.hasPeers()) stream.wake();
      }),
    );
  }

  async #refusalOf(dialled: Dialled, subscription: Subscription | undefined): Promise<Refusal | undefined> {
    if (!subscription) return refusals.unknown();
    const { endpoint, enabled } = subscription.settings;
    if (endpoint !== NO_ENDPOINT) return refusals.hasEndpoint();
    if (!enabled || subscription.since.getTime() !== dialled.stream.since.getTime()) return refusals.disabled();
    if (performance.now() - dialled.checkedAt < CHECK_EVERY_MS) return undefined;
    dialled.checkedAt = performance.now();
    try {
      await this.#deps.admit(dialled.call);
      return undefined;
    } catch (error) {
      const refusal = refusalOf(error);
      // An unavailable registry says nothing about the token.
      return refusal === error ? refusal : undefined;
    }
  }

  async #sequentially(id: string, step: () => Promise<void>): Promise<void> {
    const before = this.#steps.get(id) ?? Promise.resolve();
    const running = before.then(step);
    const settled = running.catch(() => undefined);
    this.#steps.set(id, settled);
    await running.finally(() => {
      if (this.#steps.get(id) === settled) this.#steps.delete(id);
    });
  }
}
