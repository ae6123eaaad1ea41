import type { ModelDefinition } from '@tidings/mongo';
import { deletedApplicationsModel } from '@tidings/service/deletions';
import {
  attemptsModel,
  erasedDevicesModel,
  keptApplicationsModel,
  pacesModel,
  sentValuesModel,
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
  keptApplicationsModel,
  sentValuesModel,
  erasedDevicesModel,
  smsPartsModel,
  smsReceiptsModel,
  smsProgressModel,
  deletedApplicationsModel,
];
