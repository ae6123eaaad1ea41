import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { requireApplication } from './existing-application.ts';

export const setControlGroup: Handler<typeof api.setControlGroup, 'applications'> = async (input, context) => {
  await requireApplication(context, input.application);
  const { controlGroupPercentage: percentage } = await context.applications.setControlGroup(input);
  return { percentage };
};
