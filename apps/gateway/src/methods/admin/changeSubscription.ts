import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { campaignsOf, checkApplications, newSecret, shownSubscription, subscriptionNotFound } from './subscription.ts';

const listOf = <Item>(items: Item[] | undefined): { items: Item[] } | undefined => items && { items };

export const changeSubscription: Handler<
  typeof api.changeSubscription,
  'applications' | 'presets' | 'subscriptions'
> = async (input, context) => {
  const { id, endpoint, events, applications, campaigns, platforms, messageCodes, enabled } = input;
  const { subscriptions } = context;
  const known = await subscriptions.find({ id });
  if (!known.subscription) throw subscriptionNotFound();
  const { account } = known.subscription;
  await checkApplications(context, account, applications ?? []);
  const found = campaigns && (await campaignsOf(context, account, campaigns));
  const { subscription } = await subscriptions.change({
    id,
    endpoint,
    enabled,
    events: listOf(events),
    applications: listOf(applications),
    platforms: listOf<number>(platforms),
    messageCodes: listOf(messageCodes),
    campaigns: listOf(found),
  });
  if (!subscription) throw subscriptionNotFound();
  return { ...shownSubscription(subscription), ...newSecret(subscription.secret) };
};
