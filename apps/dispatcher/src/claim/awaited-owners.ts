import { OPEN_DEVICES, WORKER_LEASE_MS } from '@tidings/delivery';
import type { Logger } from 'pino';
import { type Timers, untilNext } from '../timers.ts';
import type { WorkerLease } from '../attempts/worker-lease.ts';

export interface AwaitedSlice {
  readonly id: string;
  readonly owner: string;
  readonly devices: number;
  readonly again: () => Promise<boolean>;
}

export interface AwaitedOwnersOptions {
  readonly workerLease: Pick<WorkerLease, 'alive'>;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
}

const LOOK_EVERY_MS = 2_000;
/** A lease that still runs then was renewed, so its owner lives. */
const AWAITED_MS = WORKER_LEASE_MS + LOOK_EVERY_MS;
const MOST_DEVICES = 2 * OPEN_DEVICES;
const MOST_SLICES = 1_000;

interface Awaited extends AwaitedSlice {
  readonly until: number;
}

/** Kafka redelivers the batches of a killed worker once, before its lease ends. */
export class AwaitedOwners {
  readonly #options: AwaitedOwnersOptions;
  readonly #slices = new Map<string, Awaited>();
  readonly #runs = new Set<Promise<void>>();
  #devices = 0;
  #looking: Promise<void> | undefined;
  #stopped = false;
  #cancel: () => void = () => undefined;

  constructor(options: AwaitedOwnersOptions) {
    this.#options = options;
  }

  add(slice: AwaitedSlice): void {
    this.#forget(slice.id);
    const isFull = this.#slices.size >= MOST_SLICES || this.#devices + slice.devices > MOST_DEVICES;
    if (this.#stopped || isFull) return;
    this.#slices.set(slice.id, { ...slice, until: this.#options.timers.now() + AWAITED_MS });
    this.#devices += slice.devices;
    if (this.#slices.size === 1 && !this.#looking) this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#looking;
    this.#slices.clear();
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  #schedule(): void {
    const { timers } = this.#options;
    if (this.#stopped || this.#slices.size === 0) return;
    this.#cancel = timers.after(untilNext(LOOK_EVERY_MS, timers), () => {
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined;
        this.#schedule();
      });
    });
  }

  async #look(): Promise<void> {
    const { workerLease, timers, log } = this.#options;
    const awaited = [...this.#slices.values()];
    const now = timers.now();
    try {
      const alive = await workerLease.alive([...new Set(awaited.map(({ owner }) => owner))]);
      if (this.#stopped) return;
      for (const slice of awaited) {
        if (this.#slices.get(slice.id) !== slice) continue;
        if (!alive.has(slice.owner)) this.#handle(slice);
        else if (now > slice.until) this.#forget(slice.id);
      }
    } catch (error) {
      log.warn({ err: error }, 'reading leases of other workers failed');
    }
  }

  #handle(slice: Awaited): void {
    this.#forget(slice.id);
    const run: Promise<void> = slice
      .again()
      .then(
        (isDone) => void (isDone || this.add(slice)),
        (error: unknown) => this.#options.log.warn({ slice: slice.id, err: error }, 'taking a slice over failed'),
      )
      .finally(() => this.#runs.delete(run));
    this.#runs.add(run);
  }

  #forget(id: string): void {
    this.#devices -= this.#slices.get(id)?.devices ?? 0;
    this.#slices.delete(id);
  }
}
