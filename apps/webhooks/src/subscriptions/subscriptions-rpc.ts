import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_ACCOUNT } from '@tidings/audience';
import type { LogWriter } from '@tidings/event-store';
import { type Clock, Fault, randomBase62 } from '@tidings/kernel';
import type { Subscriptions, SubscriptionView } from '@tidings/rpc';
import type { AddressGuard } from '@tidings/runtime';
import { type SubscriptionAction, type WebhookCommand, webhooksLogOf } from '../webhook-log.ts';
import { hostChosenBy, parseEndpoint } from './endpoint.ts';
import { AUDIENCE_MS, type SubscriptionStore } from './subscription-store.ts';
import type { Subscription } from './subscription.ts';

const ID_LENGTH = 16;

export interface SubscriptionDeps {
  readonly store: SubscriptionStore;
  readonly writer: LogWriter<WebhookCommand, Subscription | undefined>;
  readonly clock: Clock;
  readonly guard: AddressGuard;
  /** Notifies of changed subscriptions; resolves when the streams of this process are updated. */
  readonly changed: () => Promise<void>;
}

const viewOf = ({ id, account, settings, createdAt }: Subscription): SubscriptionView => ({
  id,
  account,
  settings,
  createdAt,
});

/** `Subscriptions` of tidings.rpc.v1. */
export function subscriptionsRpc({ store, writer, clock, guard, changed }: SubscriptionDeps): Subscriptions {
  /** Applies an action to a subscription, and resolves when every process uses the result for later events. */
  const act = async (account: string, id: string, action: SubscriptionAction): Promise<Subscription | undefined> => {
    const at = new Date(clock.now());
    const done = await writer.submit(webhooksLogOf(account), { ...action, account, id, at });
    if (done) await Promise.all([changed(), delay(AUDIENCE_MS)]);
    return done;
  };

  /** Likewise for an existing subscription; undefined if it does not exist. */
  const actOn = async (id: string, action: SubscriptionAction): Promise<Subscription | undefined> => {
    const known = await store.find(id);
    return known && act(known.account, id, action);
  };

  /** Accepts a name that cannot be resolved now, as it may be resolvable later. Refuses a name with only private addresses. */
  const checkEndpoint = async (text: string): Promise<void> => {
    const endpoint = parseEndpoint(text);
    const host = hostChosenBy(endpoint);
    if (host === undefined) return;
    await guard.resolve(host).catch((error: unknown) => {
      if (error instanceof Fault) throw Fault.argument(`endpoint: ${error.message}`);
    });
  };

  return {
    async create({ account, settings }) {
      if (!settings) throw Fault.bug('a subscription without settings');
      await checkEndpoint(settings.endpoint);
      const made = await act(account || DEFAULT_ACCOUNT, randomBase62(ID_LENGTH), { kind: 'create', settings });
      if (!made) throw Fault.bug('a creation without a reply');
      return viewOf(made);
    },

    async find({ id }) {
      const found = await store.find(id);
      return { subscription: found && viewOf(found) };
    },

    async list() {
      return { subscriptions: (await store.all()).map(viewOf) };
    },

    async change({ id, endpoint, events, applications, platforms, messageCodes, enabled }) {
      if (endpoint !== undefined) await checkEndpoint(endpoint);
      const patch = {
        ...{ endpoint, enabled, events: events?.items, applications: applications?.items },
        ...{ platforms: platforms?.items, messageCodes: messageCodes?.items },
      };
      const done = await actOn(id, { kind: 'change', patch });
      return { subscription: done && viewOf(done) };
    },

    async delete({ id }) {
      return { deleted: (await actOn(id, { kind: 'delete' })) !== undefined };
    },
  };
}
