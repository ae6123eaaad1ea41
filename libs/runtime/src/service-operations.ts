import { type Clock, Fault, ShiftedClock } from '@tidings/kernel';

/** The methods of every service for operators and tests (architecture 8); the shape of `Operations` in tidings.rpc.v1. */
export interface ServiceOperations {
  settled(): Promise<{ open: string[] }>;
  advanceClock(request: { readonly aheadMs: bigint }): Promise<{ nowMs: bigint; aheadMs: bigint }>;
}

/** The operations of a service. @param open returns one line per unfinished item; none = settled */
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
