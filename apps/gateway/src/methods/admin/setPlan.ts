import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const setPlan: Handler<typeof api.setPlan, 'accounts'> = async ({ account, email_only }, { accounts }) => {
  await accounts.setPlan({ account, emailOnly: email_only });
  return { email_only };
};
