import { type Clock, Fault, ShiftedClock } from '@tidings/kernel';
import type { OpenDeletion, Operations } from '@tidings/rpc';

export interface System {
  /**
   * One line per unfinished item; none = settled, confirmed by a second round, or by no activity of any process during the first.
   * @param options.brief only the items of the first service that has any
   * @default false
   */
  open(options?: { readonly brief?: boolean }): Promise<readonly string[]>;
  /** Purges that are under way, by service. */
  deletions(): Promise<readonly OpenDeletion[]>;
  /** Returns the new time in milliseconds since 1970. @throws Fault outside of tests */
  advanceClock(ms: number): Promise<number>;
}

export type SystemOperations = Pick<Operations, 'settled' | 'advanceClock'>;

/** At the moment of the call. */
export type Processes = () => readonly SystemOperations[] | Promise<readonly SystemOperations[]>;

/** A busy service is queried without another look at the clocks for this time: one that has just started waits for its clock. */
const LEVEL_EVERY_MS = 1_000;

function unlessUnavailable(thrown: unknown): undefined {
  if (!(thrown instanceof Fault) || thrown.kind !== 'unavailable') throw thrown;
}

/**
 * One process is asked for what all know, such as lags, which takes a dozen queries; the others first, because their own work ends in what all know.
 */
async function openIn([first, ...others]: readonly SystemOperations[]): Promise<readonly string[]> {
  const own = await Promise.all(others.map((each) => each.settled({ ownOnly: true })));
  const all = first ? [await first.settled({})] : [];
  return [...all, ...own].flatMap((reply) => reply.open);
}

/**
 * @param services in the order in which work flows, so that none moves unseen to a service already queried. Work that flows back changes the activity
 * of a process.
 * @param elapsedMs the time of the machine, which advances of the clock do not change
 */
export function systemOf(
  services: readonly Processes[],
  clock: Clock,
  elapsedMs: () => number = () => performance.now(),
): System {
  /** Most likely it still has open work. */
  let busy: Processes | undefined;
  let leveledAt = -Infinity;
  const openOnce = async (): Promise<readonly string[]> => {
    const open: string[] = [];
    for (const processes of services) open.push(...(await openIn(await processes())));
    return open;
  };
  const firstOpen = async (asked: readonly Processes[]): Promise<readonly string[]> => {
    for (const processes of asked) {
      const open = await openIn(await processes());
      if (open.length === 0) continue;
      busy = processes;
      return open;
    }
    return [];
  };
  /** Returns the largest offset, and the activity of every process. */
  const level = async (aheadMs: number) => {
    const members = (await Promise.all(services.map(async (processes) => processes()))).flat();
    const replies = await Promise.all(members.map((each) => each.advanceClock({ aheadMs: BigInt(aheadMs) })));
    return {
      aheadMs: Math.max(aheadMs, ...replies.map((reply) => Number(reply.aheadMs))),
      activities: replies.map((reply) => reply.activity),
    };
  };
  /** Work due by the system's clock must be due by those of processes just started. Returns undefined for unknown activity. */
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
      // Absolute rather than an increment: some processes share a clock, and some have started since the last step.
      const { aheadMs } = await level(clock.aheadMs);
      clock.advanceTo((await level(aheadMs + ms)).aheadMs);
      return clock.now();
    },
  };
}
