import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { requireApplication } from './existing-application.ts';

export const setInboxAccess: Handler<typeof api.setInboxAccess, 'applications'> = async (
  { application, required },
  context,
) => {
  await requireApplication(context, application);
  const view = await context.applications.setTokenRequirements({ application, inbox: required });
  return { token_required: view.inboxTokenRequired };
};

export const setTestDeviceAccess: Handler<typeof api.setTestDeviceAccess, 'applications'> = async (
  { application, required },
  context,
) => {
  await requireApplication(context, application);
  const view = await context.applications.setTokenRequirements({ application, testDevices: required });
  return { token_required: view.testDeviceTokenRequired };
};

export const listOpenAccess: Handler<typeof api.listOpenAccess, 'testDevices'> = async (_input, { testDevices }) => {
  const { applications } = await testDevices.listOpenAccess({});
  return {
    applications: applications.map((each) => ({
      application: each.application,
      inbox_token_required: each.inboxTokenRequired,
      test_device_token_required: each.testDeviceTokenRequired,
      unconfirmed_test_devices: each.unconfirmedTestDevices,
    })),
  };
};
