import type { ModelDefinition } from '@tidings/mongo';
import { deletedApplicationsModel } from '@tidings/service/deletions';
import { attemptsModel, workerLeasesModel } from './attempts/attempts.schema.ts';
import { erasedDevicesModel, keptApplicationsModel, sentValuesModel } from './sent/sent.schema.ts';
import { pacesModel } from './pace/pace.schema.ts';
import { smsPartsModel, smsProgressModel, smsReceiptsModel } from './channels/sms/sms.schema.ts';
import { stopsModel } from './stop/stops.schema.ts';
import { throttlesModel } from './throttle/throttle.schema.ts';

export const collections: readonly ModelDefinition[] = [
  attemptsModel,
  workerLeasesModel,
  throttlesModel,
  pacesModel,
  stopsModel,
  keptApplicationsModel,
  sentValuesModel,
  erasedDevicesModel,
  smsPartsModel,
  smsReceiptsModel,
  smsProgressModel,
  deletedApplicationsModel,
];
