import { type Clock, Fault, ShiftedClock } from '@tidings/kernel';
import type { Operations } from '@tidings/rpc';

/** The whole system, as operators and tests see it. */
export interface System {
  /** One line per thing that is not done yet; none = settled, seen twice in a row. */
  open(): Promise<readonly string[]>;
  /** Sets every clock forward and answers the time then, in milliseconds since 1970; a Fault where it is not for tests. */
  advanceClock(ms: number): Promise<number>;
}

/** The processes of a service, each with its operations, as they are at the moment. */
export type Processes = () => readonly Operations[] | Promise<readonly Operations[]>;

function unlessUnavailable(thrown: unknown): void {
  if (!(thrown instanceof Fault) || thrown.kind !== 'unavailable') throw thrown;
}

/**
 * @param services in the order in which work flows from one to the next. They are asked one after the other, so that nothing slips past from
 * a service that was not asked yet to one that was; what goes the other way is met by the second round.
 */
export function systemOf(services: readonly Processes[], clock: Clock): System {
  const openOnce = async (): Promise<readonly string[]> => {
    const open: string[] = [];
    for (const processes of services) {
      const replies = await Promise.all((await processes()).map((each) => each.settled({})));
      open.push(...replies.flatMap((reply) => reply.open));
    }
    return open;
  };
  /** Makes every clock as far ahead, and answers how far ahead the furthest is. */
  const level = async (aheadMs: number): Promise<number> => {
    const everybody = (await Promise.all(services.map(async (processes) => processes()))).flat();
    const replies = await Promise.all(everybody.map((each) => each.advanceClock({ aheadMs: BigInt(aheadMs) })));
    return Math.max(aheadMs, ...replies.map((reply) => Number(reply.aheadMs)));
  };
  /** Brings processes level that have started since the last step: what is due by the system's clock shall be due by theirs. */
  const catchUp = async (): Promise<void> => {
    if (clock instanceof ShiftedClock) clock.advanceTo(await level(clock.aheadMs));
  };
  return {
    async open() {
      // Who does not answer is told of below.
      await catchUp().catch(unlessUnavailable);
      const first = await openOnce();
      return first.length > 0 ? first : openOnce();
    },
    async advanceClock(ms) {
      if (!(clock instanceof ShiftedClock)) throw Fault.notFound('Not found');
      // Told how far ahead to be and not how far to go: some share a clock, and some have started since the last step.
      clock.advanceTo(await level((await level(clock.aheadMs)) + ms));
      return clock.now();
    },
  };
}
