import { commitRetention, logCollections } from '@tidings/event-store';
import { inDays, leasesModel, type ModelDefinition } from '@tidings/mongo';
import { deletedApplicationsModel } from '@tidings/service/deletions';
import { archiveBlocksModel, archivePartsModel, exportInputsModel } from './exports/storage/exports.schema.ts';
import { jobsModel, jobPartsModel } from './jobs/storage/jobs.schema.ts';
import { LEASES_KEPT_MS } from './jobs/worker.ts';

export const collections: readonly ModelDefinition[] = [
  ...logCollections('jobs', commitRetention.asDetails),
  jobsModel,
  jobPartsModel,
  exportInputsModel,
  archivePartsModel,
  archiveBlocksModel,
  {
    ...leasesModel,
    retention: `${inDays(LEASES_KEPT_MS)} from the end of the lease; for ever: one document per relay`,
  },
  deletedApplicationsModel,
];
