import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { subscriptionNotFound } from './subscription.ts';

export const addSubscriptionSecret: Handler<typeof api.addSubscriptionSecret, 'subscriptions'> = async (
  { id },
  { subscriptions },
) => {
  const { secret } = await subscriptions.addSecret({ id });
  if (secret === '') throw subscriptionNotFound();
  return { secret };
};
