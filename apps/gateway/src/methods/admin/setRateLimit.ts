import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';

export const setRateLimit: Handler<typeof api.setRateLimit> = async ({ id, requests, seconds }, { accounts }) => {
  const { limited } = await accounts.limitToken({ id, rateLimit: requests === 0 ? undefined : { requests, seconds } });
  if (!limited) throw Fault.notFound('Token not found');
  return { requests, seconds };
};
