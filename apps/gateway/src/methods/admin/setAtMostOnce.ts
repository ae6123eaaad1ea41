import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { requireApplication } from './existing-application.ts';

export const setAtMostOnce: Handler<typeof api.setAtMostOnce, 'applications'> = async (
  { application, on },
  context,
) => {
  await requireApplication(context, application);
  const { atMostOnce } = await context.applications.setAtMostOnce({ application, on });
  return { on: atMostOnce };
};
