import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const createGroup: Handler<typeof api.createGroup, 'accounts'> = async (input, { accounts }) => {
  const { code } = await accounts.createGroup(input);
  return { code };
};
