import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_ACCOUNT } from '@tidings/audience';
import type { LogWriter } from '@tidings/event-store';
import { type Clock, Fault, randomBase62 } from '@tidings/kernel';
import type { Subscriptions, SubscriptionView } from '@tidings/rpc';
import type { AddressGuard } from '@tidings/runtime';
import { type WebhookCommand, webhooksLogOf } from '../log.ts';
import { parseEndpoint } from './endpoint.ts';
import { AUDIENCE_MS, type SubscriptionStore } from './store.ts';
import type { Subscription } from './subscription.ts';

const ID_LENGTH = 16;

export interface SubscriptionParts {
  readonly store: SubscriptionStore;
  readonly writer: LogWriter<WebhookCommand, Subscription | undefined>;
  readonly clock: Clock;
  readonly guard: AddressGuard;
  /** Hears that subscriptions have changed; resolves when the streams of this process have. */
  readonly changed: () => Promise<void>;
}

const viewOf = ({ id, account, settings, createdAt }: Subscription): SubscriptionView => ({
  id,
  account,
  settings,
  createdAt,
});

/** `Subscriptions` of tidings.rpc.v1. */
export function subscriptionsRpc({ store, writer, clock, guard, changed }: SubscriptionParts): Subscriptions {
  /** Resolves when every process acts on the change: what happens from then on is told. */
  const settled = (): Promise<unknown> => Promise.all([changed(), delay(AUDIENCE_MS)]);

  /** What is decided on a subscription that there is; undefined where there is none. */
  const act = async (
    id: string,
    action: (
      at: Date,
    ) => { readonly kind: 'delete' } | Omit<Extract<WebhookCommand, { kind: 'change' }>, 'account' | 'id'>,
  ): Promise<Subscription | undefined> => {
    const known = await store.find(id);
    if (!known) return undefined;
    const at = new Date(clock.now());
    const { account } = known;
    const done = await writer.submit(webhooksLogOf(account), { ...action(at), account, id, at });
    if (done) await settled();
    return done;
  };

  /** A name that cannot be looked up now may be one later; one that leads to private addresses only is refused at once. */
  const checkEndpoint = async (text: string): Promise<void> => {
    const { host } = parseEndpoint(text);
    await guard.resolve(host).catch((error: unknown) => {
      if (error instanceof Fault) throw Fault.argument(`endpoint: ${error.message}`);
    });
  };

  return {
    async create({ account: named, settings }) {
      if (!settings) throw Fault.bug('a subscription without settings');
      await checkEndpoint(settings.endpoint);
      const account = named || DEFAULT_ACCOUNT;
      const id = randomBase62(ID_LENGTH);
      const at = new Date(clock.now());
      const made = await writer.submit(webhooksLogOf(account), { kind: 'create', account, id, settings, at });
      if (!made) throw Fault.bug('no answer to a create');
      await settled();
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
      const done = await act(id, (at) => ({ kind: 'change', patch, at }));
      return { subscription: done && viewOf(done) };
    },

    async delete({ id }) {
      return { deleted: (await act(id, () => ({ kind: 'delete' }))) !== undefined };
    },
  };
}
