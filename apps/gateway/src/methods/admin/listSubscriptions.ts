import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { shownSubscription } from './subscription.ts';

export const listSubscriptions: Handler<typeof api.listSubscriptions, 'subscriptions'> = async (
  _input,
  { subscriptions },
) => {
  const { subscriptions: found } = await subscriptions.list({});
  return { subscriptions: found.map(shownSubscription) };
};
