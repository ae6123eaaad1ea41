import { type Clock, Fault, ShiftedClock } from '@tidings/kernel';
import type { OpenDeletion, Operations } from '@tidings/rpc';

/** The whole system, for operators and tests. */
export interface System {
  /**
   * One line per unfinished item; none = settled, confirmed by a second round, or by the activity of all processes: none of them did anything during
   * the round.
   * @param options.brief only the items of the first service found to have any; those that follow are not queried @default false
   */
  open(options?: { readonly brief?: boolean }): Promise<readonly string[]>;
  /** The purges of deleted applications that are under way, by service. */
  deletions(): Promise<readonly OpenDeletion[]>;
  /** Advances every clock and returns the new time in milliseconds since 1970. Throws a Fault outside of tests. */
  advanceClock(ms: number): Promise<number>;
}

export type SystemOperations = Pick<Operations, 'settled' | 'advanceClock'>;

/** The processes of a service at the moment of the call, each with its operations. */
export type Processes = () => readonly SystemOperations[] | Promise<readonly SystemOperations[]>;

/** A busy service is queried without another look at the clocks for this time: one that has just started waits for its clock. */
const LEVEL_EVERY_MS = 1_000;

function unlessUnavailable(thrown: unknown): undefined {
  if (!(thrown instanceof Fault) || thrown.kind !== 'unavailable') throw thrown;
}

/**
 * Open work of a service. One process is asked for what all of them know, such as lags, because that takes a dozen queries; the others first, for
 * what only they know, because their work ends in what all know.
 */
async function openIn([first, ...others]: readonly SystemOperations[]): Promise<readonly string[]> {
  const own = await Promise.all(others.map((each) => each.settled({ ownOnly: true })));
  const all = first ? [await first.settled({})] : [];
  return [...all, ...own].flatMap((reply) => reply.open);
}

/**
 * @param services in the order in which work flows from one to the next. They are queried in sequence, so that no work moves unseen from a service
 * still to be queried to one already queried. Work that flows the other way changes the activity of a process, and is found by a second round.
 * @param elapsedMs the time of the machine, which advances of the clock do not change
 */
export function systemOf(
  services: readonly Processes[],
  clock: Clock,
  elapsedMs: () => number = () => performance.now(),
): System {
  /** The service with open work at the last brief call: most likely it still has some. */
  let busy: Processes | undefined;
  let leveledAt = -Infinity;
  const openOnce = async (): Promise<readonly string[]> => {
    const open: string[] = [];
    for (const processes of services) open.push(...(await openIn(await processes())));
    return open;
  };
  /** The items of the first service that has any. */
  const firstOpen = async (asked: readonly Processes[]): Promise<readonly string[]> => {
    for (const processes of asked) {
      const open = await openIn(await processes());
      if (open.length === 0) continue;
      busy = processes;
      return open;
    }
    return [];
  };
  /** Advances every clock to the same offset. Returns the largest offset found, and the activity of every process. */
  const level = async (aheadMs: number) => {
    const members = (await Promise.all(services.map(async (processes) => processes()))).flat();
    const replies = await Promise.all(members.map((each) => each.advanceClock({ aheadMs: BigInt(aheadMs) })));
    return {
      aheadMs: Math.max(aheadMs, ...replies.map((reply) => Number(reply.aheadMs))),
      activities: replies.map((reply) => reply.activity),
    };
  };
  /**
   * Advances the clocks of processes started since the last step: work due by the system's clock must be due by theirs. Returns the activity of all,
   * undefined if it is unknown.
   */
  const catchUp = async (): Promise<string | undefined> => {
    leveledAt = elapsedMs();
    if (!(clock instanceof ShiftedClock)) return undefined;
    const { aheadMs, activities } = await level(clock.aheadMs);
    clock.advanceTo(aheadMs);
    return activities.includes(undefined) ? undefined : activities.join(' ');
  };
  return {
    async open({ brief = false } = {}) {
      if (brief && busy && elapsedMs() - leveledAt < LEVEL_EVERY_MS) {
        const open = await firstOpen([busy]);
        if (open.length > 0) return open;
      }
      const round = brief ? () => firstOpen(services) : openOnce;
      // Processes that do not answer are reported by the round.
      const before = await catchUp().catch(unlessUnavailable);
      const open = await round();
      if (open.length > 0) return open;
      const isQuiet = before !== undefined && before === (await catchUp().catch(unlessUnavailable));
      return isQuiet ? [] : round();
    },
    async deletions() {
      const asked = services.map(async (processes) => {
        // Every process of a service knows of all of them.
        const [first] = await processes();
        return first ? (await first.settled({ deletions: true })).deletions : [];
      });
      return (await Promise.all(asked)).flat();
    },
    async advanceClock(ms) {
      if (!(clock instanceof ShiftedClock)) throw Fault.notFound('Not found');
      // The offset is absolute rather than an increment: some processes share a clock, and some have started since the last step.
      const { aheadMs } = await level(clock.aheadMs);
      clock.advanceTo((await level(aheadMs + ms)).aheadMs);
      return clock.now();
    },
  };
}
