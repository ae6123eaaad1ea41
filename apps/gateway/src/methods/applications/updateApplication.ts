import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const updateApplication: Handler<typeof api.updateApplication, 'applications'> = async (
  input,
  { applications },
  { account },
) => {
  await applications.updateApplication({ account, ...input });
};
