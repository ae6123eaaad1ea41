import { type Clock, trustedTime } from '@tidings/kernel';
import { compact } from './compact.ts';
import type { Groups } from './groups.ts';
import type { Lease } from './group-lease.ts';
import type { PartitionLog } from './partition-log.ts';
import type { Store } from './embedded-store.ts';

const PASS_EVERY_MS = 1_000;
const PASS_MS = 200;
const STEP_OFFSETS = 20_000;
const SPANS = 100;
const DIRTY_RECORDS = 1_000;

export interface HousekeepingDeps {
  readonly logs: readonly PartitionLog[];
  readonly groups: Groups;
  readonly store: Store;
  readonly lease: Lease;
  readonly clock: Clock;
  warn(text: string, cause: unknown): void;
}

interface Needless {
  readonly below: number;
  readonly more: boolean;
}

export class Housekeeping {
  readonly #deps: HousekeepingDeps;
  readonly #timer: NodeJS.Timeout;
  /** Before its first trim a log may have batches of a writer that had lost the lease. */
  readonly #swept = new Set<PartitionLog>();
  #turn = 0;
  #pass: Promise<void> | undefined;

  constructor(deps: HousekeepingDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => {
      this.pass().catch((error: unknown) => deps.warn('trimming the log failed', error));
    }, PASS_EVERY_MS).unref();
  }

  pass(): Promise<void> {
    this.#pass ??= this.#run().finally(() => (this.#pass = undefined));
    return this.#pass;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pass?.catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { lease, logs, store } = this.#deps;
    const until = performance.now() + PASS_MS;
    const inTime = (): boolean => lease.isHeld && performance.now() < until;
    while (inTime() && (await this.#trim(inTime)));
    for (const log of logs) {
      if (isDirty(log) && inTime()) await compact(log, store);
    }
  }

  async #trim(inTime: () => boolean): Promise<boolean> {
    const { logs, store } = this.#deps;
    const floors: { log: PartitionLog; start: number }[] = [];
    let more = false;
    for (let i = 0; i < logs.length && inTime(); i++) {
      const log = logs[this.#turn++ % logs.length] as PartitionLog;
      const needless = await this.#needlessOf(log);
      if (needless.below > log.start) floors.push({ log, start: needless.below });
      more ||= needless.more;
    }
    if (floors.length === 0) return false;
    // Written before the batches are removed: an empty partition must keep its end.
    await store.raiseFloors(floors.map(({ log, start }) => ({ ...log.partitionId, start })));
    await store.remove(
      floors.map(({ log, start }) => ({
        ...log.partitionId,
        from: this.#swept.has(log) ? log.start : 0,
        below: start,
      })),
    );
    for (const { log, start } of floors) {
      this.#swept.add(log);
      log.start = start;
      log.tail.dropBelow(start);
    }
    return more;
  }

  async #needlessOf(log: PartitionLog): Promise<Needless> {
    const { groups, store } = this.#deps;
    if (log.kind === 'compacted' || log.start === log.end) return { below: log.start, more: false };
    const committed = (log.kind === 'work' ? groups.committedByAll(log) : undefined) ?? log.start;
    const expired = await this.#expiredOf(log);
    const below = Math.max(committed, expired.below);
    if (below <= log.start || below === log.end) return { below, more: false };
    const trimmedTo = Math.min(below, log.start + STEP_OFFSETS);
    return { below: (await store.batchHolding(log, trimmedTo)) ?? trimmedTo, more: expired.more || trimmedTo < below };
  }

  async #expiredOf(log: PartitionLog): Promise<Needless> {
    const { clock, store } = this.#deps;
    const oldest = trustedTime(clock) - log.retentionMs;
    // The oldest batch only gets younger: an earlier value is a bound.
    if (log.oldestAt !== undefined && log.oldestAt >= oldest) return { below: log.start, more: false };
    const spans = await store.spans(log, log.start, SPANS);
    const young = spans.find(({ at }) => at >= oldest);
    if (young) log.oldestAt = young.at;
    const last = spans.at(-1);
    return {
      below: young?.first ?? (last ? last.first + last.count : log.start),
      more: !young && spans.length === SPANS,
    };
  }
}

const isDirty = ({ kind, end, clean, live }: PartitionLog): boolean =>
  kind === 'compacted' && end - clean >= Math.max(DIRTY_RECORDS, live);
