import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { requireApplication } from './existing-application.ts';

export const setCapping: Handler<typeof api.setCapping, 'applications'> = async (
  { application, days, count },
  context,
) => {
  await requireApplication(context, application);
  await context.applications.setCapping({ application, days, count });
  return { days, count };
};
