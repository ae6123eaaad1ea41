import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { checkApplications, newSecret, shownSubscription, subscriptionNotFound } from './subscription.ts';

const listOf = <Item>(items: Item[] | undefined): { items: Item[] } | undefined => items && { items };

export const changeSubscription: Handler<typeof api.changeSubscription> = async (input, context) => {
  const { id, endpoint, events, applications, platforms, messageCodes, enabled } = input;
  const { subscriptions } = context;
  const known = await subscriptions.find({ id });
  if (!known.subscription) throw subscriptionNotFound();
  await checkApplications(context, known.subscription.account, applications ?? []);
  const { subscription } = await subscriptions.change({
    ...{ id, endpoint, enabled, events: listOf(events), applications: listOf(applications) },
    ...{ platforms: listOf<number>(platforms), messageCodes: listOf(messageCodes) },
  });
  if (!subscription) throw subscriptionNotFound();
  return { ...shownSubscription(subscription), ...newSecret(subscription.secret) };
};
