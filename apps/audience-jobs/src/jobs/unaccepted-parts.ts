import type { Clock } from '@tidings/kernel';
import type { JobParts } from './job-parts.ts';
import type { JobStore } from './job-store.ts';
import { ACCEPTED_WITHIN_MS } from './storage/retention.ts';

export interface UnacceptedPartsDeps {
  readonly clock: Clock;
  readonly parts: Pick<JobParts, 'jobsBetween' | 'remove'>;
  readonly store: Pick<JobStore, 'unknownOf'>;
}

/**
 * Returns a function that removes parts whose job was not accepted within an hour, as a request leaves them that is refused or ends while it uploads.
 * Each call examines the parts that have reached that age since the last one; the first call those of the hour before. Older ones go with all orphans.
 */
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
