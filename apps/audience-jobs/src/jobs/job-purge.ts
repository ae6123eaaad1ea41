import type { LogWriter } from '@tidings/event-store';
import type { Job } from '@tidings/jobs';
import type { Clock } from '@tidings/kernel';
import type { DeletionsOptions } from '@tidings/service/deletions';
import { type JobCommand, logOfJob } from './job-log.ts';
import type { JobStore } from './job-store.ts';

export interface JobPurgeDeps {
  readonly clock: Clock;
  readonly store: Pick<JobStore, 'idsOf' | 'remove' | 'removeOrphans'>;
  readonly writer: LogWriter<JobCommand, Job>;
}

/** Pending jobs fail; exports of several applications stay (R-B2, R-S3). */
export function jobPurge({ clock, store, writer }: JobPurgeDeps): DeletionsOptions['purge'] {
  return async function* ({ account, application, round }) {
    const queue = { account, application };
    for (let ids = await store.idsOf(queue, 'Pending'); ids.length > 0;) {
      const at = new Date(clock.now());
      const action = { type: 'applicationGone' } as const;
      await Promise.all(ids.map((id) => writer.submit(logOfJob(id), { id, action, at })));
      yield;
      ids = await store.idsOf(queue, 'Pending');
    }
    for (let ids = await store.idsOf(queue, 'Completed'); ids.length > 0;) {
      await store.remove(ids);
      yield;
      ids = await store.idsOf(queue, 'Completed');
    }
    // Until the second pass, a worker may process their parts.
    if (round === 0) return;
    for (let ids = await store.idsOf(queue, 'Failed'); ids.length > 0;) {
      await store.removeOrphans(ids);
      yield;
      ids = await store.idsOf(queue, 'Failed', ids.at(-1));
    }
  };
}
