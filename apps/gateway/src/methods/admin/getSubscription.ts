import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { shownSubscription, subscriptionNotFound } from './subscription.ts';

export const getSubscription: Handler<typeof api.getSubscription, 'subscriptions'> = async (
  { id },
  { subscriptions },
) => {
  const { subscription } = await subscriptions.find({ id });
  if (!subscription) throw subscriptionNotFound();
  return shownSubscription(subscription);
};
