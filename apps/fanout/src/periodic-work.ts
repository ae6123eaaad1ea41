import { every } from '@tidings/coordination';
import { trustedTime } from '@tidings/kernel';
import { Lease } from '@tidings/mongo';
import type { Closing } from '@tidings/runtime';
import type { Collaborators, FanoutDeps } from './collaborators.ts';
import { removeExpired } from './watch/message-expiry.ts';

const WATCH_EVERY_MS = 1_000;
const WATCH_LEASE_MS = 10_000;
const PACE_EVERY_MS = 200;
const UNPACED_EVERY_MS = 1_000;
/** Two pacers are harmless, and a pause is visible, so the lease is short. */
const PACE_LEASE_MS = 2_000;
const SWEEP_EVERY_MS = 5_000;

export function startPeriodicWork(
  deps: FanoutDeps,
  { watch, pacer, paced, outgoing, statuses }: Collaborators,
  closing: Closing,
): void {
  const { db, clock, log, watchEveryMs = WATCH_EVERY_MS } = deps;
  interface Role {
    readonly lease: string;
    readonly lengthMs: number;
    readonly onStandby: () => void;
    readonly isNeeded?: () => Promise<boolean>;
  }
  const role = ({ lease: name, lengthMs, onStandby, isNeeded }: Role) => {
    const lease = new Lease(db, name, { clock, lengthMs });
    closing.add('lease', lease, () => lease.release());
    return (task: string, everyMs: number, work: (signal: AbortSignal) => Promise<void>): void => {
      const run = async (signal: AbortSignal): Promise<void> => {
        if (isNeeded && !(await isNeeded())) return;
        if (await lease.take()) await work(signal);
        else onStandby();
      };
      closing.add(task, every(everyMs, run, { name: task, log }), (periodic) => periodic.stop());
    };
  };
  const record = every(watchEveryMs, () => statuses.flush(), { name: 'record of emissions', log });
  closing.add('record of emissions', record, async (periodic) => {
    await periodic.stop();
    // Slices whose record is lost are emitted again.
    await statuses.flush().catch(() => undefined);
  });
  const watching = role({ lease: 'fanout.watch', lengthMs: WATCH_LEASE_MS, onStandby: () => watch.reset() });
  watching('watch over slices', watchEveryMs, (signal) => watch.run(signal));
  watching('removal of expired messages', SWEEP_EVERY_MS, (signal) =>
    removeExpired(db, outgoing, new Date(trustedTime(clock)), signal),
  );
  const pacing = role({
    lease: 'fanout.pace',
    lengthMs: PACE_LEASE_MS,
    onStandby: () => pacer.reset(),
    isNeeded: rarelyWhileFalse(() => paced.hasAny()),
  });
  pacing('emission of rated messages', PACE_EVERY_MS, () => pacer.run());
}

function rarelyWhileFalse(check: () => Promise<boolean>): () => Promise<boolean> {
  let pausedUntil = 0;
  return async () => {
    if (performance.now() < pausedUntil) return false;
    const answer = await check();
    if (!answer) pausedUntil = performance.now() + UNPACED_EVERY_MS;
    return answer;
  };
}
