import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const getApplicationFile: Handler<typeof api.getApplicationFile, 'platforms' | 'publicUrl'> = async (
  input,
  { platforms, publicUrl },
  { account },
) => {
  const { text } = await platforms.getApplicationFile({ account, publicUrl, ...input });
  return text;
};
