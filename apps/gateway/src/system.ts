import { type Clock, Fault, ShiftedClock } from '@tidings/kernel';
import type { Operations } from '@tidings/rpc';

/** The whole system, for operators and tests. */
export interface System {
  /** One line per unfinished item; none = settled, confirmed by two consecutive rounds. */
  open(): Promise<readonly string[]>;
  /** Advances every clock and returns the new time in milliseconds since 1970. Throws a Fault outside of tests. */
  advanceClock(ms: number): Promise<number>;
}

/** The processes of a service at the moment of the call, each with its operations. */
export type Processes = () => readonly Operations[] | Promise<readonly Operations[]>;

function unlessUnavailable(thrown: unknown): void {
  if (!(thrown instanceof Fault) || thrown.kind !== 'unavailable') throw thrown;
}

/**
 * Open work of a service. One process is asked for what all of them know, such as lags, because that takes a dozen queries; the others first, for
 * what only they know, because their work ends in what all know.
 */
async function openIn([first, ...others]: readonly Operations[]): Promise<readonly string[]> {
  const own = await Promise.all(others.map((each) => each.settled({ ownOnly: true })));
  const all = first ? [await first.settled({})] : [];
  return [...all, ...own].flatMap((reply) => reply.open);
}

/**
 * @param services in the order in which work flows from one to the next. They are queried in sequence, so that no work moves unseen from a service
 * still to be queried to one already queried; the second round finds work that flows the other way.
 */
export function systemOf(services: readonly Processes[], clock: Clock): System {
  const openOnce = async (): Promise<readonly string[]> => {
    const open: string[] = [];
    for (const processes of services) open.push(...(await openIn(await processes())));
    return open;
  };
  /** Advances every clock to the same offset, and returns the largest offset found. */
  const level = async (aheadMs: number): Promise<number> => {
    const members = (await Promise.all(services.map(async (processes) => processes()))).flat();
    const replies = await Promise.all(members.map((each) => each.advanceClock({ aheadMs: BigInt(aheadMs) })));
    return Math.max(aheadMs, ...replies.map((reply) => Number(reply.aheadMs)));
  };
  /** Advances the clocks of processes started since the last step: work due by the system's clock must be due by theirs. */
  const catchUp = async (): Promise<void> => {
    if (clock instanceof ShiftedClock) clock.advanceTo(await level(clock.aheadMs));
  };
  return {
    async open() {
      // Processes that do not answer are reported below.
      await catchUp().catch(unlessUnavailable);
      const first = await openOnce();
      return first.length > 0 ? first : openOnce();
    },
    async advanceClock(ms) {
      if (!(clock instanceof ShiftedClock)) throw Fault.notFound('Not found');
      // The offset is absolute rather than an increment: some processes share a clock, and some have started since the last step.
      clock.advanceTo(await level((await level(clock.aheadMs)) + ms));
      return clock.now();
    },
  };
}
