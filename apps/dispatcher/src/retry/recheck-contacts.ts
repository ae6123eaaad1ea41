import { batcher } from '@tidings/coordination';
import { type SuppressedSince, withSuppressed } from '@tidings/delivery';
import { type Clock, TEST_CHUNK } from '@tidings/kernel';
import type { ContactsOfSlice, Devices } from '@tidings/rpc';
import type { OpenSlice } from '../send/sending.ts';
import { WRITE_AHEAD_MS } from '../send/slice-devices.ts';

export type RecheckContacts = (open: OpenSlice) => Promise<OpenSlice>;

export interface RecheckContactsDeps {
  readonly devices: Pick<Devices, 'findSuppressed'>;
  readonly clock: Clock;
}

/** Slices that waited for less had no try; retries wait longer. */
const RECENT_MS = 30_000;
const SLICES = 64;
const CONTACTS = 8_000;

type Suppressed = ReadonlyMap<number, SuppressedSince>;

function dueIn({ job, pending }: OpenSlice, now: number): ContactsOfSlice {
  const { account, application, chunk, marketing, content } = job.batch;
  const due = pending.filter(({ progress }) => progress.dueAt <= now + WRITE_AHEAD_MS);
  const positions = due.map(({ device }) => job.columns.positions[device]!);
  return { account, application, chunk, marketing, category: content?.email?.category ?? '', positions };
}

export function contactRechecker({ devices, clock }: RecheckContactsDeps): RecheckContacts {
  const { submit } = batcher(
    async (slices: readonly ContactsOfSlice[]): Promise<Suppressed[]> => {
      const { found } = await devices.findSuppressed({ slices: [...slices] });
      const suppressed = slices.map(() => new Map<number, SuppressedSince>());
      for (const { slice, reason, positions } of found) {
        for (const position of positions) suppressed[slice]!.set(position, reason as SuppressedSince);
      }
      return suppressed;
    },
    { maxItems: SLICES, sizeOf: ({ positions }) => positions.length, maxSize: CONTACTS },
  );
  return async (open) => {
    const { job, attempt } = open;
    const now = clock.now();
    const ageMs = now - attempt.claimedAt;
    // A claim in the future was made before the clock was set back.
    if (job.batch.chunk === TEST_CHUNK || (ageMs >= 0 && ageMs < RECENT_MS)) return open;
    const due = dueIn(open, now);
    if (due.positions.length === 0) return open;
    return { ...open, job: { ...job, columns: withSuppressed(job.columns, await submit(due)) } };
  };
}
