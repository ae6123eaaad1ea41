import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const createAccount: Handler<typeof api.createAccount, 'accounts'> = async ({ name }, { accounts }) => {
  const { account } = await accounts.createAccount({ name });
  return { account };
};
