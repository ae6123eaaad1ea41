import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const createAccount: Handler<typeof api.createAccount, 'accounts'> = async ({ name }, { accounts }) => {
  const { account } = await accounts.createAccount({ name });
  return { account };
};

export const createGroup: Handler<typeof api.createGroup, 'accounts'> = async (input, { accounts }) => {
  const { code } = await accounts.createGroup(input);
  return { code };
};

export const setPlan: Handler<typeof api.setPlan, 'accounts'> = async ({ account, email_only }, { accounts }) => {
  await accounts.setPlan({ account, emailOnly: email_only });
  return { email_only };
};

export const setCategories: Handler<typeof api.setCategories, 'accounts'> = async (
  { account, categories },
  { accounts },
) => {
  const stored = await accounts.setCategories({ account: account ?? '', categories });
  return { categories: stored.categories };
};

export const setSenders: Handler<typeof api.setSenders, 'addresses'> = (
  { account = '', required, verified },
  { addresses },
) => addresses.setSenders({ account, required, verified });
