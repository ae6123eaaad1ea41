import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const setCategories: Handler<typeof api.setCategories, 'accounts'> = async (
  { account, categories },
  { accounts },
) => {
  const stored = await accounts.setCategories({ account: account ?? '', categories });
  return { categories: stored.categories };
};
