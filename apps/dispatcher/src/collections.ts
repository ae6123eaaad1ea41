import type { ModelDefinition } from '@tidings/mongo';
import { deletedApplicationsModel } from '@tidings/service/deletions';
import {
  attemptsModel,
  pacesModel,
  smsPartsModel,
  smsProgressModel,
  smsReceiptsModel,
  throttlesModel,
  workerLeasesModel,
} from './storage/dispatcher.schema.ts';

/** The collections of the dispatchers. */
export const collections: readonly ModelDefinition[] = [
  attemptsModel,
  workerLeasesModel,
  throttlesModel,
  pacesModel,
  smsPartsModel,
  smsReceiptsModel,
  smsProgressModel,
  deletedApplicationsModel,
];
