import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const updateApplication: Handler<typeof api.updateApplication> = async (input, { accounts }, { account }) => {
  await accounts.updateApplication({ account, ...input });
};
