import { type Clock, Fault, ShiftedClock } from '@tidings/kernel';
import type { OpenDeletion, Operations } from '@tidings/rpc';

export interface System {
  /** One line per unfinished item; none = settled, confirmed by a second round or by no activity. */
  open(options?: { readonly brief?: boolean }): Promise<readonly string[]>;
  deletions(): Promise<readonly OpenDeletion[]>;
  advanceClock(ms: number): Promise<number>;
}

export type SystemOperations = Pick<Operations, 'settled' | 'advanceClock'>;

export type Processes = () => readonly SystemOperations[] | Promise<readonly SystemOperations[]>;

/** A process that has just started waits for its clock. */
const LEVEL_EVERY_MS = 1_000;

function unlessUnavailable(thrown: unknown): undefined {
  if (!(thrown instanceof Fault) || thrown.kind !== 'unavailable') throw thrown;
}

/** Every process knows the shared work: one is asked for it, after the others' own work. */
async function openIn([first, ...others]: readonly SystemOperations[]): Promise<readonly string[]> {
  const own = await Promise.all(others.map((each) => each.settled({ ownOnly: true })));
  const all = first ? [await first.settled({})] : [];
  return [...all, ...own].flatMap((reply) => reply.open);
}

/** @param services in the order in which work flows, so that none moves unseen */
export function systemOf(
  services: readonly Processes[],
  clock: Clock,
  elapsedMs: () => number = () => performance.now(),
): System {
  let busy: Processes | undefined;
  let leveledAt = -Infinity;
  const openOnce = async (): Promise<readonly string[]> => {
    const open: string[] = [];
    for (const processes of services) open.push(...(await openIn(await processes())));
    return open;
  };
  const firstOpen = async (candidates: readonly Processes[]): Promise<readonly string[]> => {
    for (const processes of candidates) {
      const open = await openIn(await processes());
      if (open.length === 0) continue;
      busy = processes;
      return open;
    }
    return [];
  };
  const level = async (aheadMs: number) => {
    const members = (await Promise.all(services.map(async (processes) => processes()))).flat();
    const replies = await Promise.all(members.map((each) => each.advanceClock({ aheadMs: BigInt(aheadMs) })));
    return {
      aheadMs: Math.max(aheadMs, ...replies.map((reply) => Number(reply.aheadMs))),
      activities: replies.map((reply) => reply.activity),
    };
  };
  /** Processes just started may lag behind and miss due work. */
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
      // The round reports processes that do not answer.
      const before = await catchUp().catch(unlessUnavailable);
      const open = await round();
      if (open.length > 0) return open;
      const isIdle = before !== undefined && before === (await catchUp().catch(unlessUnavailable));
      return isIdle ? [] : round();
    },
    async deletions() {
      const answers = services.map(async (processes) => {
        const [first] = await processes();
        return first ? (await first.settled({ deletions: true })).deletions : [];
      });
      return (await Promise.all(answers)).flat();
    },
    async advanceClock(ms) {
      if (!(clock instanceof ShiftedClock)) throw Fault.notFound('Not found');
      // Absolute: some processes share a clock, some are new.
      const { aheadMs } = await level(clock.aheadMs);
      clock.advanceTo((await level(aheadMs + ms)).aheadMs);
      return clock.now();
    },
  };
}
