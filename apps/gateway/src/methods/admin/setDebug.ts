import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';
import { requireApplication } from './existing-application.ts';

export const setDebug: Handler<typeof api.setDebug, 'applications'> = async ({ application, on }, context) => {
  await requireApplication(context, application);
  const { debugUntil } = await context.applications.setDebug({ application, on });
  return { debug_until: rfc3339(debugUntil) };
};
