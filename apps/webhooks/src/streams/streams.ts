import { randomUUID } from 'node:crypto';
import { type ExclusiveData, look, registerOwner, unregisterOwner, type Periodic } from '@tidings/coordination';
import { collectionOf, type Presence, presenceIn } from '@tidings/mongo';
import { rendezvous } from '@tidings/rpc';
import type { Logger } from '@tidings/runtime';
import type { Db } from 'mongodb';
import { NO_ENDPOINT } from '../subscriptions/endpoint.ts';
import type { SubscriptionStore } from '../subscriptions/subscription-store.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import type { DeferredStores } from './deferred/mongo-deferred.ts';
import type { ProgressStore } from './stream-progress.ts';
import { FORGET_OWNERS_MS, ownersModel } from './streams.schema.ts';
import { Stream } from './event-stream.ts';
import type { StreamDeps } from './stream-deps.ts';
import type { LinkDeps } from './links/link-port.ts';
import { openLink } from './links/links.ts';

const LEASE_MS = 10_000;
const BUSY_ROUND_MS = 2_500;
const PEERS_ROUND_MS = 1_000;
/** Covers clock differences and write latency. */
const MARGIN_MS = 1_000;

export interface StreamsDeps extends Omit<StreamDeps, 'save' | 'isOwner' | 'connect' | 'hungUp'> {
  readonly db: Db;
  readonly link: LinkDeps;
  readonly subscriptions: Pick<SubscriptionStore, 'enabled'>;
  readonly progress: ProgressStore;
  readonly deferred: DeferredStores;
  readonly log: Logger;
  readonly exclusive: ExclusiveData | undefined;
}

export interface Lease {
  readonly owner: string;
  isHeld(): boolean;
  hasPeers(): boolean;
}

const hasEndpoint = ({ settings }: Subscription): boolean => settings.endpoint !== NO_ENDPOINT;

/** Leases make concurrent streams rare, and only the owner writes progress. They follow the system clock. */
export class Streams {
  readonly #deps: StreamsDeps;
  readonly #owners: Presence;
  readonly #owner = registerOwner(randomUUID());
  readonly #me = this.#owner.id;
  readonly #streams = new Map<string, Stream>();
  readonly #rounds: Periodic;
  #until = 0;
  #peers = 0;
  readonly lease: Lease = {
    owner: this.#me,
    isHeld: () => this.#deps.exclusive?.isHeld ?? performance.now() < this.#until,
    hasPeers: () => this.#peers > 0,
  };

  constructor(deps: StreamsDeps) {
    this.#deps = deps;
    this.#owners = presenceIn(collectionOf(deps.db, ownersModel), { lengthMs: LEASE_MS });
    this.#rounds = look((signal) => this.#round(signal), {
      name: 'streams',
      log: deps.log,
      immediately: true,
      exclusive: deps.exclusive,
    });
  }

  changed(): Promise<void> {
    return this.#rounds.now();
  }

  wake(log: string): void {
    for (const stream of this.#streams.values()) if (stream.log === log) stream.wake();
  }

  async due(): Promise<string[]> {
    const enabled = (await this.#deps.subscriptions.enabled()).filter(hasEndpoint);
    const owners = await this.#deps.progress.owners(enabled.map(({ id }) => id));
    const live = new Set((await this.#live()).map(({ name }) => name));
    const due = await Promise.all(
      enabled.map(async ({ id }) => {
        const owner = owners.get(id);
        if (owner === this.#me) return (await this.#streams.get(id)?.isDue()) !== false;
        return owner === undefined || !live.has(owner);
      }),
    );
    return enabled.filter((_, i) => due[i]).map(({ id }) => id);
  }

  async forget(): Promise<void> {
    const [live, enabled] = await Promise.all([this.#live(), this.#deps.subscriptions.enabled()]);
    const owners = live.map(({ name }) => name);
    await this.#deps.progress.removeExcept(
      enabled.map(({ id }) => id),
      owners,
    );
    await this.#deps.deferred.removeExcept(enabled);
    await this.#owners.forget(FORGET_OWNERS_MS);
  }

  async close(): Promise<void> {
    await this.#rounds.stop();
    await Promise.all([...this.#streams.keys()].map((id) => this.#end(id)));
    unregisterOwner(this.#me);
    await this.#owners.end([this.#me]);
  }

  async #round(signal: AbortSignal): Promise<void> {
    await this.#renew();
    const [live, enabled] = await Promise.all([this.#live(), this.#deps.subscriptions.enabled()]);
    const assigned = new Map(
      enabled
        .filter(hasEndpoint)
        .filter(({ id }) => rendezvous(id, live)[0]?.name === this.#me)
        .map((one) => [one.id, one]),
    );
    const ending = [...this.#streams].filter(([id, stream]) => stream.isLost || !isSame(stream, assigned.get(id)));
    await Promise.all(ending.map(([id]) => this.#end(id)));
    const others = new Set(live.map(({ name }) => name).filter((name) => name !== this.#me));
    this.#peers = others.size;
    if (others.size > 0) this.#rounds.within(PEERS_ROUND_MS);
    else if (assigned.size > 0) this.#rounds.within(BUSY_ROUND_MS);
    for (const subscription of assigned.values()) {
      if (signal.aborted) return;
      const stream = this.#streams.get(subscription.id);
      stream?.update(subscription);
      if (!stream) await this.#tryBegin(subscription, others);
      else if (others.size > 0) stream.wake();
    }
  }

  async #renew(): Promise<void> {
    if (this.#deps.exclusive) return;
    const startedAt = performance.now();
    await this.#owners.renew(this.#owner, Date.now() + LEASE_MS);
    this.#until = startedAt + LEASE_MS - MARGIN_MS;
  }

  async #live(): Promise<{ readonly name: string }[]> {
    if (this.#deps.exclusive) return [{ name: this.#me }];
    return Array.from(await this.#owners.alive(), (name) => ({ name }));
  }

  async #tryBegin(subscription: Subscription, others: ReadonlySet<string>): Promise<void> {
    try {
      await this.#begin(subscription, others);
    } catch (error) {
      this.#deps.log.warn({ err: error, subscription: subscription.id }, 'stream cannot begin');
    }
  }

  async #begin(subscription: Subscription, others: ReadonlySet<string>): Promise<void> {
    const { progress, log, link, ...deps } = this.#deps;
    const { id } = subscription;
    const claimed = await progress.claim(subscription, this.#me, others);
    if (!claimed) return;
    const stream = new Stream(subscription, claimed, {
      ...deps,
      log: log.child({ subscription: id }),
      save: (reached) => progress.save(id, this.#me, reached),
      isOwner: () => this.lease.isHeld(),
      connect: (request) => openLink(request, link),
    });
    this.#streams.set(id, stream);
  }

  async #end(id: string): Promise<void> {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    await stream?.stop();
    await this.#deps.progress.release(id, this.#me);
  }
}

const isSame = (stream: Stream, subscription: Subscription | undefined): boolean =>
  subscription?.since.getTime() === stream.since.getTime();
