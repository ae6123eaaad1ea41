import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const addTag: Handler<typeof api.addTag> = async (input, { accounts }, { account }) => {
  await accounts.addTag({ account, ...input });
  return { result: true };
};
