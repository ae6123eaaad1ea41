export { bulkRegisterDevice } from './bulkRegisterDevice.ts';
export { bulkSetTags } from './bulkSetTags.ts';
export { bulkUnregisterDevice } from './bulkUnregisterDevice.ts';
export { exportSegment } from './exportSegment.ts';
export { getBulkRegisterDevice } from './getBulkRegisterDevice.ts';
export { getBulkSetTags } from './getBulkSetTags.ts';
export { getBulkUnregisterDevice } from './getBulkUnregisterDevice.ts';
export { getExportSegment } from './getExportSegment.ts';
