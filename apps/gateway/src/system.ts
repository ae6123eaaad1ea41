import { type Clock, Fault, ShiftedClock } from '@tidings/kernel';
import type { Operations } from '@tidings/rpc';

/** The whole system, as operators and tests see it. */
export interface System {
  /** One line per thing that is not done yet; none = settled, seen twice in a row. */
  open(): Promise<readonly string[]>;
  /** Sets every clock forward and answers the time then, in milliseconds since 1970; a Fault where it is not for tests. */
  advanceClock(ms: number): Promise<number>;
}

/** @param ownOpen how much is open in this process. */
export function systemOf(services: readonly Operations[], clock: Clock, ownOpen: () => number): System {
  const openOnce = async (): Promise<readonly string[]> => {
    const own = ownOpen();
    const replies = await Promise.all(services.map((service) => service.settled({})));
    return [...(own > 0 ? [`gateway: ${own} device commands`] : []), ...replies.flatMap(({ open }) => open)];
  };
  return {
    async open() {
      const first = await openOnce();
      return first.length > 0 ? first : openOnce();
    },
    async advanceClock(ms) {
      if (!(clock instanceof ShiftedClock)) throw Fault.notFound('Not found');
      // In one process all services share this clock: they are told how far ahead to be, not how far to go.
      const aheadMs = BigInt(clock.aheadMs + ms);
      clock.advanceTo(Number(aheadMs));
      await Promise.all(services.map((service) => service.advanceClock({ aheadMs })));
      return clock.now();
    },
  };
}
