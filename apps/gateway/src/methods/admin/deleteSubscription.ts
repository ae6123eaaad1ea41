import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { subscriptionNotFound } from './subscription.ts';

export const deleteSubscription: Handler<typeof api.deleteSubscription, 'subscriptions'> = async (
  { id },
  { subscriptions },
) => {
  const { deleted } = await subscriptions.delete({ id });
  if (!deleted) throw subscriptionNotFound();
};
