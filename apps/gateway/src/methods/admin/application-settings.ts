import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';
import { requireApplication } from './existing-application.ts';

export const setAtMostOnce: Handler<typeof api.setAtMostOnce, 'applications'> = async (
  { application, on },
  context,
) => {
  await requireApplication(context, application);
  const { atMostOnce } = await context.applications.setAtMostOnce({ application, on });
  return { on: atMostOnce };
};

export const setCapping: Handler<typeof api.setCapping, 'applications'> = async (
  { application, days, count },
  context,
) => {
  await requireApplication(context, application);
  await context.applications.setCapping({ application, days, count });
  return { days, count };
};

export const setControlGroup: Handler<typeof api.setControlGroup, 'applications'> = async (input, context) => {
  await requireApplication(context, input.application);
  const { controlGroupPercentage: percentage } = await context.applications.setControlGroup(input);
  return { percentage };
};

export const setDebug: Handler<typeof api.setDebug, 'applications'> = async ({ application, on }, context) => {
  await requireApplication(context, application);
  const { debugUntil } = await context.applications.setDebug({ application, on });
  return { debug_until: rfc3339(debugUntil) };
};

export const setTracking: Handler<typeof api.setTracking, 'applications'> = async ({ application, on }, context) => {
  await requireApplication(context, application);
  const { trackingOff } = await context.applications.setTracking({ application, on });
  return { on: !trackingOff };
};
