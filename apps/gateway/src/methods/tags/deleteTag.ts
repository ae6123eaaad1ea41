import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const deleteTag: Handler<typeof api.deleteTag> = async ({ name }, { accounts }, { account }) => {
  await accounts.deleteTag({ account, name });
  return { result: true };
};
