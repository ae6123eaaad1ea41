import { Fault, ShiftedClock } from '@tidings/kernel';
import { freeBytes } from '@tidings/mongo';
import { activityIn } from '@tidings/telemetry';
import type { ServiceDeps } from './service.ts';

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

/** One line per unfinished item; none = settled. */
export type Open = () => Promise<string[]>;

export interface OpenDeletion {
  readonly service: string;
  readonly application: string;
  readonly devices: bigint | undefined;
}

/** An item is in `shared` before it leaves `own`. */
export interface OpenWork {
  readonly own: Open;
  readonly shared: Open;
  readonly deletions?: () => Promise<OpenDeletion[]>;
}

export const operationsOf = (
  { clock, metrics, db }: Pick<ServiceDeps, 'clock' | 'metrics'> & Partial<Pick<ServiceDeps, 'db'>>,
  open: Open | OpenWork,
): ServiceOperations => ({
  async settled({ ownOnly, deletions }) {
    const {
      own,
      shared,
      deletions: deletionsOf,
    }: OpenWork = typeof open === 'function' ? { own: open, shared: async () => [] } : open;
    if (deletions) return { open: [], deletions: (await deletionsOf?.()) ?? [] };
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
