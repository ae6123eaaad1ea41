export { configureApplication } from './configureApplication.ts';
export { createApplication } from './createApplication.ts';
export { deleteApplication } from './deleteApplication.ts';
export { getApplication } from './getApplication.ts';
export { getApplicationFile } from './getApplicationFile.ts';
export { getApplications } from './getApplications.ts';
export { setApplicationPlatformStatus } from './setApplicationPlatformStatus.ts';
export { updateApplication } from './updateApplication.ts';
