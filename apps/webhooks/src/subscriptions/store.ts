import type { Db } from 'mongodb';
import { type SubscriptionDocument, subscriptionOf, SUBSCRIPTIONS } from '../log.ts';
import type { Subscription } from './subscription.ts';

type Stored = SubscriptionDocument & { readonly _id: string };

/** Whose events anybody is told of. */
export interface Audience {
  has(account: string, application: string): boolean;
}

/** Queries over the subscriptions, as their logs have folded them. */
export interface SubscriptionStore {
  find(id: string): Promise<Subscription | undefined>;
  /** All, oldest first. */
  all(): Promise<Subscription[]>;
  enabled(): Promise<Subscription[]>;
  /** Those applications of the accounts that an enabled subscription is for. */
  audience(accounts: readonly string[]): Promise<Audience>;
}

export async function openSubscriptions(db: Db): Promise<SubscriptionStore> {
  const subscriptions = db.collection<Stored>(SUBSCRIPTIONS);
  await subscriptions.createIndex({ account: 1 }, { name: 'account' });
  const read = async (filter: object): Promise<Subscription[]> => {
    const found = await subscriptions.find(filter).sort({ createdAt: 1, _id: 1 }).toArray();
    return found.map(subscriptionOf).filter((subscription) => subscription !== undefined);
  };
  return {
    find: async (id) => (await read({ _id: id }))[0],
    all: () => read({ deleted: { $exists: false } }),
    enabled: () => read({ 'settings.enabled': true }),
    async audience(accounts) {
      const enabled = await read({ account: { $in: accounts }, 'settings.enabled': true });
      return {
        has: (account, application) =>
          enabled.some(
            (subscription) =>
              subscription.account === account &&
              (subscription.settings.applications.length === 0 ||
                subscription.settings.applications.includes(application)),
          ),
      };
    },
  };
}
