import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const getApplicationFile: Handler<typeof api.getApplicationFile> = async (input, { accounts }, { account }) => {
  const { text } = await accounts.getApplicationFile({ account, ...input });
  return text;
};
