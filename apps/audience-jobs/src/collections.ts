import { collectionsOfLogs, commitsKept } from '@tidings/event-store';
import { inDays, type KeptCollection } from '@tidings/mongo';
import { deletionsKept } from '@tidings/service/deletions';
import { JOBS } from './jobs/job-log.ts';
import { KEPT_MS, ORPHANS_KEPT_MS } from './jobs/job-store.ts';
import { LEASES_KEPT_MS } from './jobs/worker.ts';

const withTheJob = `with the job; without one ${inDays(ORPHANS_KEPT_MS)}`;

/** The collections of audience-jobs, each with its retention. */
export const collections: readonly KeptCollection[] = [
  ...collectionsOfLogs('jobs', commitsKept.asDetails),
  { name: JOBS, kept: `${inDays(KEPT_MS)} from the end of the job` },
  { name: 'pieces', kept: withTheJob },
  { name: 'exportInputs', kept: withTheJob },
  { name: 'archiveParts', kept: withTheJob },
  { name: 'archiveBlocks', kept: withTheJob },
  { name: 'leases', kept: `${inDays(LEASES_KEPT_MS)} from the end of the lease; one for each relay` },
  deletionsKept,
];
