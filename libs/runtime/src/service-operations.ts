import { Fault, ShiftedClock } from '@tidings/kernel';
import { freeBytes } from '@tidings/mongo';
import { activityIn } from '@tidings/telemetry';
import type { ServiceDeps } from './service.ts';

/** The methods of every service for operators and tests (architecture 8); the shape of `Operations` in tidings.rpc.v1. */
export interface ServiceOperations {
  settled(request: { readonly ownOnly?: boolean | undefined; readonly deletions?: boolean | undefined }): Promise<{
    open: string[];
    deletions: OpenDeletion[];
  }>;
  advanceClock(request: { readonly aheadMs: bigint }): Promise<{
    nowMs: bigint;
    aheadMs: bigint;
    activity: bigint | undefined;
  }>;
  storage(request: object): Promise<{ freeBytes: bigint | undefined }>;
}

/** Returns one line per unfinished item; none = settled. */
export type Open = () => Promise<string[]>;

/** The purge of a deleted application, as far as it is due. */
export interface OpenDeletion {
  readonly service: string;
  readonly application: string;
  /** Devices that are not removed yet, in the service that owns them. */
  readonly devices: bigint | undefined;
}

/** Unfinished work of a service with several processes. An item is in `shared` before it leaves `own`. */
export interface OpenWork {
  /** Open work that only this process knows, such as commands that it is writing. */
  readonly own: Open;
  /** Open work that any process of the service reads from the stores alike, such as the lag of its consumer groups. */
  readonly shared: Open;
  /** What is left of deleted applications: as much as an application has, so nobody waits for it. @default none */
  readonly deletions?: () => Promise<OpenDeletion[]>;
}

/** The operations of a service. @param open a function if every process has to be asked for everything */
export const operationsOf = (
  { clock, metrics, db }: Pick<ServiceDeps, 'clock' | 'metrics'> & Partial<Pick<ServiceDeps, 'db'>>,
  open: Open | OpenWork,
): ServiceOperations => ({
  async settled({ ownOnly, deletions }) {
    const {
      own,
      shared,
      deletions: left,
    }: OpenWork = typeof open === 'function' ? { own: open, shared: async () => [] } : open;
    if (deletions) return { open: [], deletions: (await left?.()) ?? [] };
    return { open: [...(await own()), ...(ownOnly ? [] : await shared())], deletions: [] };
  },
  async advanceClock({ aheadMs }) {
    if (!(clock instanceof ShiftedClock)) throw Fault.forbidden('The clock can be set only with TIDINGS_TEST_CLOCK=1');
    clock.advanceTo(Number(aheadMs));
    const activity = activityIn(metrics).read();
    return {
      nowMs: BigInt(clock.now()),
      aheadMs: BigInt(clock.aheadMs),
      activity: activity === undefined ? undefined : BigInt(activity),
    };
  },
  async storage() {
    const free = db && (await freeBytes(db));
    return { freeBytes: free === undefined ? undefined : BigInt(free) };
  },
});
