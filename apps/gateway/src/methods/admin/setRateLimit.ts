import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { tokenNotFound } from './token.ts';

export const setRateLimit: Handler<typeof api.setRateLimit, 'tokens'> = async (
  { id, requests, seconds },
  { tokens },
) => {
  const { limited } = await tokens.limitToken({ id, rateLimit: requests === 0 ? undefined : { requests, seconds } });
  if (!limited) throw tokenNotFound();
  return { requests, seconds };
};
