import { OPEN_DEVICES, WORKER_LEASE_MS } from '@tidings/delivery';
import type { Logger } from 'pino';
import { type Timers, msToNextMultiple } from '../timers.ts';
import type { WorkerLease } from '../attempts/worker-lease.ts';

export interface PendingSlice {
  readonly id: string;
  readonly owner: string;
  readonly devices: number;
  readonly retry: () => Promise<boolean>;
}

export interface PendingLeasesOptions {
  readonly workerLease: Pick<WorkerLease, 'alive'>;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
}

const CHECK_INTERVAL_MS = 2_000;
/** A lease that still runs then was renewed, so its owner lives. */
const MAX_WAIT_MS = WORKER_LEASE_MS + CHECK_INTERVAL_MS;
const MAX_DEVICES = 2 * OPEN_DEVICES;
const MAX_SLICES = 1_000;

interface WaitingSlice extends PendingSlice {
  readonly until: number;
}

/** Kafka redelivers the batches of a killed worker once, before its lease ends. */
export class PendingLeases {
  readonly #options: PendingLeasesOptions;
  readonly #slices = new Map<string, WaitingSlice>();
  readonly #runs = new Set<Promise<void>>();
  #devices = 0;
  #checking: Promise<void> | undefined;
  #stopped = false;
  #cancel: () => void = () => undefined;

  constructor(options: PendingLeasesOptions) {
    this.#options = options;
  }

  add(slice: PendingSlice): void {
    this.#forget(slice.id);
    const isFull = this.#slices.size >= MAX_SLICES || this.#devices + slice.devices > MAX_DEVICES;
    if (this.#stopped || isFull) return;
    this.#slices.set(slice.id, { ...slice, until: this.#options.timers.now() + MAX_WAIT_MS });
    this.#devices += slice.devices;
    if (this.#slices.size === 1 && !this.#checking) this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#checking;
    this.#slices.clear();
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  #schedule(): void {
    const { timers } = this.#options;
    if (this.#stopped || this.#slices.size === 0) return;
    this.#cancel = timers.after(msToNextMultiple(CHECK_INTERVAL_MS, timers), () => {
      this.#checking = this.#check().finally(() => {
        this.#checking = undefined;
        this.#schedule();
      });
    });
  }

  async #check(): Promise<void> {
    const { workerLease, timers, log } = this.#options;
    const slices = [...this.#slices.values()];
    const now = timers.now();
    try {
      const alive = await workerLease.alive([...new Set(slices.map(({ owner }) => owner))]);
      if (this.#stopped) return;
      for (const slice of slices) {
        if (this.#slices.get(slice.id) !== slice) continue;
        if (!alive.has(slice.owner)) this.#handle(slice);
        else if (now > slice.until) this.#forget(slice.id);
      }
    } catch (error) {
      log.warn({ err: error }, 'reading leases of other workers failed');
    }
  }

  #handle(slice: WaitingSlice): void {
    this.#forget(slice.id);
    const run: Promise<void> = slice
      .retry()
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
