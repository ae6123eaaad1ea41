import { bulkRegisterDevice, getBulkRegisterDevice } from './bulkRegisterDevice.ts';
import { bulkSetTags, getBulkSetTags } from './bulkSetTags.ts';
import { bulkUnregisterDevice, getBulkUnregisterDevice } from './bulkUnregisterDevice.ts';
import { exportSegment, getExportSegment } from './exportSegment.ts';

export const audienceMethods = {
  bulkSetTags,
  getBulkSetTags,
  bulkRegisterDevice,
  getBulkRegisterDevice,
  bulkUnregisterDevice,
  getBulkUnregisterDevice,
  exportSegment,
  getExportSegment,
} as const;
