import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const deleteApplication: Handler<typeof api.deleteApplication, 'applications'> = async (
  { application },
  { applications },
  { account },
) => {
  await applications.deleteApplication({ account, application });
};
