import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const getApplicationFile: Handler<typeof api.getApplicationFile> = async (input, context, { account }) => {
  const { accounts, publicUrl } = context;
  const { text } = await accounts.getApplicationFile({ account, publicUrl, ...input });
  return text;
};
