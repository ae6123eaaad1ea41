import { configureApplication } from './configureApplication.ts';
import { createApplication } from './createApplication.ts';
import { deleteApplication } from './deleteApplication.ts';
import { getApplication } from './getApplication.ts';
import { getApplicationFile } from './getApplicationFile.ts';
import { getApplications } from './getApplications.ts';
import { setApplicationPlatformStatus } from './setApplicationPlatformStatus.ts';
import { updateApplication } from './updateApplication.ts';

export const applicationMethods = {
  createApplication,
  updateApplication,
  deleteApplication,
  getApplication,
  getApplications,
  getApplicationFile,
  configureApplication,
  setApplicationPlatformStatus,
} as const;
