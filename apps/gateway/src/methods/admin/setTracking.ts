import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { requireApplication } from './existing-application.ts';

export const setTracking: Handler<typeof api.setTracking, 'applications'> = async ({ application, on }, context) => {
  await requireApplication(context, application);
  const { trackingOff } = await context.applications.setTracking({ application, on });
  return { on: !trackingOff };
};
