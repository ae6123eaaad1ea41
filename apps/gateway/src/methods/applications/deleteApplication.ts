import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const deleteApplication: Handler<typeof api.deleteApplication> = async (
  { application },
  { accounts, access },
  { account },
) => {
  await accounts.deleteApplication({ account, application });
  access.forgetApplication(application);
};
