import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { type HostPort, parseAddress, replicaName, type Resolve, resolveHost } from './rpc-addresses.ts';
import { clientAccess, type ClientAccess, type RpcAccess } from './rpc-access.ts';
import { callMeter, type CallMeter } from './calls.ts';
import { rendezvous } from './rendezvous.ts';
import { Replica } from './rpc-replica.ts';

const REFRESH_EVERY_MS = 5_000;
const REFRESH_AT_MOST_MS = 500;
const RESOLVING_MS = 500;
const REMEMBERED_KEYS = 1_024;

export interface ReplicasOptions {
  readonly access: RpcAccess;
  readonly changed?: (names: readonly string[]) => void;
  readonly resolve?: Resolve;
  readonly metrics?: Registry;
}

/** @throws Fault `argument` for a malformed address */
export async function openReplicas(address: string, options: ReplicasOptions): Promise<Replicas> {
  const replicas = new Replicas(parseAddress(address), options);
  await replicas.refresh();
  return replicas;
}

export class Replicas {
  readonly meter: CallMeter;
  readonly #hosts: readonly HostPort[];
  readonly #options: ReplicasOptions;
  readonly #access: ClientAccess;
  readonly #resolved = new Map<string, readonly string[]>();
  readonly #byName = new Map<string, Replica>();
  readonly #byKey = new Map<string, readonly Replica[]>();
  readonly #timer: NodeJS.Timeout;
  #list: readonly Replica[] = [];
  #next = 0;
  #refreshing: Promise<void> | undefined;
  #refreshedAt = -Infinity;
  #closed = false;

  constructor(hosts: readonly HostPort[], options: ReplicasOptions) {
    this.#hosts = hosts;
    this.#options = options;
    this.#access = clientAccess(options.access);
    this.meter = callMeter('client', options.metrics);
    this.#timer = setInterval(() => void this.refresh(), REFRESH_EVERY_MS).unref();
  }

  get all(): readonly Replica[] {
    return this.#list;
  }

  /** Recently unreachable replicas come last. */
  candidates(key: string | undefined): readonly Replica[] {
    const list = this.#list;
    if (list.length < 2) return list;
    const ordered = key === undefined ? this.#roundRobin(list) : this.#ofKey(key, list);
    if (ordered.every(({ isLikely }) => isLikely)) return ordered;
    return [...ordered.filter(({ isLikely }) => isLikely), ...ordered.filter(({ isLikely }) => !isLikely)];
  }

  ownerOf(key: () => string): string {
    return this.#list.length < 2 ? '' : this.candidates(key())[0]!.name;
  }

  /** One look-up at a time. Never rejects. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async failed(pauseMs: number): Promise<void> {
    const isRecent = performance.now() - this.#refreshedAt < REFRESH_AT_MOST_MS;
    const resolved = isRecent
      ? undefined
      : Promise.race([this.refresh(), delay(RESOLVING_MS, undefined, { ref: false })]);
    await Promise.all([delay(pauseMs), resolved]);
  }

  async reachable(): Promise<void> {
    await Promise.any(this.#list.map((replica) => replica.ready(Infinity)));
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const replica of this.#byName.values()) replica.retire();
  }

  #roundRobin(list: readonly Replica[]): readonly Replica[] {
    this.#next = (this.#next + 1) % list.length;
    return [...list.slice(this.#next), ...list.slice(0, this.#next)];
  }

  #ofKey(key: string, list: readonly Replica[]): readonly Replica[] {
    let ordered = this.#byKey.get(key);
    if (!ordered) {
      if (this.#byKey.size >= REMEMBERED_KEYS) this.#byKey.clear();
      this.#byKey.set(key, (ordered = rendezvous(key, list)));
    }
    return ordered;
  }

  async #refresh(): Promise<void> {
    const { resolve = resolveHost } = this.#options;
    const hosts = [...new Set(this.#hosts.map(({ host }) => host))];
    await Promise.all(
      hosts.map(async (host) => {
        const found = await resolve(host).catch(() => []);
        if (found.length > 0) this.#resolved.set(host, found);
      }),
    );
    this.#refreshedAt = performance.now();
    if (this.#closed) return;
    this.#take(
      new Map(
        this.#hosts.flatMap(({ host, port }) =>
          (this.#resolved.get(host) ?? []).map((ip): [string, string] => [replicaName(ip, port), host]),
        ),
      ),
    );
  }

  #take(found: ReadonlyMap<string, string>): void {
    const names = new Set([...found.keys()].sort());
    const gone = [...this.#byName].filter(([name]) => !names.has(name));
    const added = [...names].filter((name) => !this.#byName.has(name));
    for (const [name, replica] of gone) {
      this.#byName.delete(name);
      replica.retire();
    }
    for (const name of added) this.#byName.set(name, new Replica(name, found.get(name)!, this.#access));
    for (const replica of this.#byName.values()) replica.connect();
    if (gone.length + added.length === 0) return;
    this.#list = [...names].map((name) => this.#byName.get(name)!);
    this.#byKey.clear();
    this.#options.changed?.([...names]);
  }
}
