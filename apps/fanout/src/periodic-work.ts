import { every, type Periodic } from '@tidings/coordination';
import { trustedTime } from '@tidings/kernel';
import { openLease } from '@tidings/mongo';
import type { Closing } from '@tidings/runtime';
import type { Collaborators, FanoutDeps } from './collaborators.ts';
import { removeExpired } from './watch/message-expiry.ts';

const WATCH_EVERY_MS = 2_500;
const RECORD_EVERY_MS = 1_000;
const WATCH_LEASE_MS = 10_000;
const PACE_EVERY_MS = 200;
const UNPACED_EVERY_MS = 2_500;
/** A pause is visible, so the lease is short. */
const PACE_LEASE_MS = 2_000;
const SWEEP_EVERY_MS = 30_000;

export function startPeriodicWork(
  deps: FanoutDeps,
  { watch, pacer, paced, outgoing, settling }: Collaborators,
  closing: Closing,
): void {
  const { db, clock, log, exclusive, watchEveryMs = WATCH_EVERY_MS } = deps;
  interface Role {
    readonly lease: string;
    readonly lengthMs: number;
    readonly onStandby: () => void;
  }
  const role = ({ lease: name, lengthMs, onStandby }: Role) => {
    const lease = openLease(db, name, { clock, lengthMs, exclusive });
    closing.add('lease', lease, () => lease.release());
    return async (work: () => Promise<void>): Promise<void> => {
      if (await lease.take()) await work();
      else onStandby();
    };
  };
  const regularly = (task: string, everyMs: number, work: (signal: AbortSignal) => Promise<void>): Periodic =>
    closing.add(task, every(everyMs, work, { name: task, log, clock }), (periodic) => periodic.stop());
  const record = every(Math.min(watchEveryMs, RECORD_EVERY_MS), () => settling.flush(), {
    name: 'record of slices',
    log,
  });
  closing.add('record of slices', record, async (periodic) => {
    await periodic.stop();
    // Slices whose record is lost are emitted again.
    await settling.flush().catch(() => undefined);
  });
  const watching = role({ lease: 'fanout.watch', lengthMs: WATCH_LEASE_MS, onStandby: () => watch.reset() });
  regularly('watch over slices', watchEveryMs, (signal) => watching(() => watch.run(signal)));
  regularly('removal of expired messages', SWEEP_EVERY_MS, (signal) =>
    watching(() => removeExpired(db, outgoing, new Date(trustedTime(clock)), signal)),
  );
  const pacing = role({ lease: 'fanout.pace', lengthMs: PACE_LEASE_MS, onStandby: () => pacer.reset() });
  const emission = regularly('emission of rated messages', UNPACED_EVERY_MS, async () => {
    if (!(await paced.hasAny())) return;
    emission.within(PACE_EVERY_MS);
    await pacing(() => pacer.run());
  });
}
