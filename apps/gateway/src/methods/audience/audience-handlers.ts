import type { audienceMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { bulkRegisterDevice } from './bulkRegisterDevice.ts';
import { bulkSetTags } from './bulkSetTags.ts';
import { bulkUnregisterDevice } from './bulkUnregisterDevice.ts';
import { exportSegment } from './exportSegment.ts';
import { getBulkRegisterDevice } from './getBulkRegisterDevice.ts';
import { getBulkSetTags } from './getBulkSetTags.ts';
import { getBulkUnregisterDevice } from './getBulkUnregisterDevice.ts';
import { getExportSegment } from './getExportSegment.ts';

export const audienceHandlers = {
  bulkSetTags,
  getBulkSetTags,
  bulkRegisterDevice,
  getBulkRegisterDevice,
  bulkUnregisterDevice,
  getBulkUnregisterDevice,
  exportSegment,
  getExportSegment,
} satisfies Serves<typeof audienceMethods>;
