import { modelOf } from '@tidings/mongo';
import type { Db } from 'mongodb';
import type { FilterQuery } from 'mongoose';
import { type SubscriptionDocument, subscriptionOf } from '../webhook-log.ts';
import type { Subscription } from './subscription.ts';
import { subscriptionsModel } from './subscriptions.schema.ts';

type Stored = SubscriptionDocument & { readonly _id: string };

/** Changes are answered only after this time. */
export const AUDIENCE_MS = 250;

export interface Audience {
  has(account: string, application: string): boolean;
}

export interface SubscriptionStore {
  find(id: string): Promise<Subscription | undefined>;
  all(): Promise<Subscription[]>;
  enabled(): Promise<Subscription[]>;
  countOf(account: string): Promise<number>;
  /** Cached: facts arrive by the hundred a second. */
  audience(): Promise<Audience>;
}

function audienceOf(enabled: readonly Subscription[]): Audience {
  const ofAccount = Map.groupBy(enabled, ({ account }) => account);
  return {
    has: (account, application) =>
      (ofAccount.get(account) ?? []).some(
        ({ settings: { applications } }) => applications.length === 0 || applications.includes(application),
      ),
  };
}

export function openSubscriptions(db: Db): SubscriptionStore {
  const subscriptions = modelOf(db, subscriptionsModel);
  const read = async (filter: FilterQuery<Stored>): Promise<Subscription[]> => {
    const found = await subscriptions.find(filter).sort({ createdAt: 1, _id: 1 }).lean<Stored[]>();
    return found.map(subscriptionOf).filter((subscription) => subscription !== undefined);
  };
  const enabled = (): Promise<Subscription[]> => read({ 'settings.enabled': true });
  let cached: { readonly asOf: number; readonly audience: Promise<Audience> } | undefined;
  return {
    find: async (id) => (await read({ _id: id }))[0],
    all: () => read({ deleted: { $exists: false } }),
    enabled,
    countOf: async (account) => subscriptions.countDocuments({ account, deleted: { $exists: false } }),
    audience() {
      const now = performance.now();
      if (!cached || now - cached.asOf >= AUDIENCE_MS) {
        cached = { asOf: now, audience: enabled().then(audienceOf) };
        cached.audience.catch(() => (cached = undefined));
      }
      return cached.audience;
    },
  };
}
