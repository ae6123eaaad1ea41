import { type Clock, Fault, ShiftedClock } from '@tidings/kernel';

/** What every service answers to operators and tests (architecture 8); the shape of `Operations` in tidings.rpc.v1. */
export interface ServiceOperations {
  settled(): Promise<{ open: string[] }>;
  advanceClock(request: { readonly aheadMs: bigint }): Promise<{ nowMs: bigint; aheadMs: bigint }>;
}

/** @param open one line per thing that is not done yet; none = settled. */
export const operationsOf = (clock: Clock, open: () => Promise<string[]>): ServiceOperations => ({
  async settled() {
    return { open: await open() };
  },
  async advanceClock({ aheadMs }) {
    if (!(clock instanceof ShiftedClock)) throw Fault.forbidden('The clock can be set only with TIDINGS_TEST_CLOCK=1');
    clock.advanceTo(Number(aheadMs));
    return { nowMs: BigInt(clock.now()), aheadMs: BigInt(clock.aheadMs) };
  },
});
