import type { Clock } from '@tidings/kernel';
import type { JobParts } from './job-parts.ts';
import type { JobStore } from './job-store.ts';
import { ACCEPTED_WITHIN_MS } from './storage/retention.ts';

export interface UnacceptedPartsDeps {
  readonly clock: Clock;
  readonly parts: Pick<JobParts, 'jobsBetween' | 'remove'>;
  readonly store: Pick<JobStore, 'unknownOf'>;
}

/** Refused or interrupted requests leave parts. Each call examines those that became an hour old. */
export function unacceptedParts({ clock, parts, store }: UnacceptedPartsDeps): () => Promise<void> {
  let from = clock.now() - 2 * ACCEPTED_WITHIN_MS;
  return async () => {
    const to = clock.now() - ACCEPTED_WITHIN_MS;
    if (to <= from) return;
    const unknown = await store.unknownOf(await parts.jobsBetween(new Date(from), new Date(to)));
    if (unknown.length > 0) await parts.remove(unknown);
    from = to;
  };
}
