export { bulkRegisterDevice, getBulkRegisterDevice } from './bulkRegisterDevice.ts';
export { bulkSetTags, getBulkSetTags } from './bulkSetTags.ts';
export { bulkUnregisterDevice, getBulkUnregisterDevice } from './bulkUnregisterDevice.ts';
export { exportSegment, getExportSegment } from './exportSegment.ts';
