import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_ACCOUNT } from '@tidings/audience';
import type { LogWriter } from '@tidings/event-store';
import { EventFormat, type SubscriptionSettings } from '@tidings/events';
import { type Clock, Fault, randomBase62 } from '@tidings/kernel';
import type { SentValues, Subscriptions, SubscriptionView } from '@tidings/rpc';
import type { AddressGuard } from '@tidings/runtime';
import { type SubscriptionAction, type WebhookCommand, webhooksLogOf } from './webhook-log.ts';
import { hasFormats, hostChosenBy, isSigned, parseEndpoint } from './subscriptions/endpoint.ts';
import type { DeferredSummary } from './streams/deferred/deferred-store.ts';
import type { DeferredStores } from './streams/deferred/mongo-deferred.ts';
import type { ProgressStore } from './streams/stream-progress.ts';
import { keepValues } from './subscriptions/kept-values.ts';
import type { SubscriptionSecrets } from './subscriptions/subscription-secrets.ts';
import { AUDIENCE_MS, type SubscriptionStore } from './subscriptions/subscription-store.ts';
import { patched, type Subscription } from './subscriptions/subscription.ts';

const ID_LENGTH = 16;
const MAX_SUBSCRIPTIONS = 1_000;

export interface SubscriptionDeps {
  readonly store: SubscriptionStore;
  readonly writer: LogWriter<WebhookCommand, Subscription | undefined>;
  readonly clock: Clock;
  readonly guard: AddressGuard;
  readonly secrets: SubscriptionSecrets;
  readonly progress: Pick<ProgressStore, 'deferred'>;
  readonly deferred: Pick<DeferredStores, 'remove'>;
  readonly sentValues: Pick<SentValues, 'keep'>;
  readonly changed: () => Promise<void>;
  /** Other programs read topics there; the embedded log has no protocol. */
  readonly hasKafka: boolean;
}

function checkFormat({ endpoint, format }: SubscriptionSettings): void {
  if (format !== EventFormat.EVENT_FORMAT_JSON || hasFormats(endpoint)) return;
  throw Fault.argument('format: json needs an endpoint that begins with http://, https:// or kafka://');
}

const viewOf = (
  { id, account, settings, createdAt, disabled }: Subscription,
  secret: string,
  deferred: DeferredSummary = { length: 0, dropped: 0 },
): SubscriptionView => ({
  id,
  account,
  settings,
  createdAt,
  secret,
  disabledReason: disabled?.reason ?? '',
  disabledAt: disabled?.at,
  deferredEvents: deferred.length,
  droppedEvents: BigInt(deferred.dropped),
  oldestDeferredAt: deferred.oldest === undefined ? undefined : new Date(deferred.oldest),
});

const viewsWith =
  (progress: SubscriptionDeps['progress']) =>
  async (subscriptions: readonly Subscription[], secret = ''): Promise<SubscriptionView[]> => {
    const summaries = await progress.deferred(subscriptions.map(({ id }) => id));
    return subscriptions.map((each) => viewOf(each, secret, summaries.get(each.id)));
  };

export function subscriptionsRpc(deps: SubscriptionDeps): Subscriptions {
  const { store, writer, clock, guard, secrets, progress, deferred, sentValues, changed, hasKafka } = deps;
  /** Resolves when every process uses the result. */
  const act = async (account: string, id: string, action: SubscriptionAction): Promise<Subscription | undefined> => {
    const at = new Date(clock.now());
    const done = await writer.submit(webhooksLogOf(account), { ...action, account, id, at });
    if (done) await Promise.all([changed(), delay(AUDIENCE_MS)]);
    return done;
  };

  const actOn = async (id: string, action: SubscriptionAction): Promise<Subscription | undefined> => {
    const existing = await store.find(id);
    return existing && act(existing.account, id, action);
  };

  /** An unresolvable name may be resolvable later. */
  const checkEndpoint = async (text: string): Promise<void> => {
    const endpoint = parseEndpoint(text);
    if (endpoint.kind === 'kafka' && !hasKafka) {
      throw Fault.argument(
        'endpoint: kafka:// needs the distributed mode; the embedded mode has no Kafka for other programs to read',
      );
    }
    const host = hostChosenBy(endpoint);
    if (host === undefined) return;
    await guard.resolve(host).catch((error: unknown) => {
      if (error instanceof Fault) throw Fault.argument(`endpoint: ${error.message}`);
    });
  };

  const firstSecret = async (id: string, endpoint: string): Promise<string> =>
    isSigned(endpoint) && (await store.find(id)) && !(await secrets.has(id)) ? secrets.add(id) : '';

  const viewsOf = viewsWith(progress);

  return {
    async create({ account, settings }) {
      if (!settings) throw Fault.bug('a subscription without settings');
      await checkEndpoint(settings.endpoint);
      checkFormat(settings);
      const of = account || DEFAULT_ACCOUNT;
      if ((await store.countOf(of)) >= MAX_SUBSCRIPTIONS)
        throw Fault.argument(`Subscription limit reached (${MAX_SUBSCRIPTIONS})`);
      const id = randomBase62(ID_LENGTH);
      // First, so that no event is posted without a signature.
      const secret = isSigned(settings.endpoint) ? await secrets.add(id) : '';
      // Values are kept before the first event.
      await keepValues(sentValues, [{ account: of, settings }]);
      const made = await act(of, id, { kind: 'create', settings });
      if (!made) throw Fault.bug('a creation without a reply');
      return viewOf(made, secret);
    },

    async find({ id }) {
      const found = await store.find(id);
      const [subscription] = await viewsOf(found ? [found] : []);
      return { subscription };
    },

    async list() {
      return { subscriptions: await viewsOf(await store.all()) };
    },

    async change({ id, endpoint, format, events, applications, platforms, messageCodes, campaigns, enabled }) {
      if (endpoint !== undefined) await checkEndpoint(endpoint);
      const patch = {
        endpoint,
        format,
        enabled,
        events: events?.items,
        applications: applications?.items,
        platforms: platforms?.items,
        messageCodes: messageCodes?.items,
        campaigns: campaigns?.items,
      };
      const known = await store.find(id);
      const settings = known && patched(known.settings, patch);
      if (settings) checkFormat(settings);
      const secret = endpoint === undefined ? '' : await firstSecret(id, endpoint);
      if (known && settings) await keepValues(sentValues, [{ ...known, settings }]);
      const done = await actOn(id, { kind: 'change', patch });
      const [subscription] = await viewsOf(done ? [done] : [], secret);
      return { subscription };
    },

    async delete({ id }) {
      const deleted = (await actOn(id, { kind: 'delete' })) !== undefined;
      await secrets.remove(id);
      await deferred.remove(id);
      return { deleted };
    },

    async addSecret({ id }) {
      const known = await store.find(id);
      if (!known) return { secret: '' };
      if (!isSigned(known.settings.endpoint)) {
        throw Fault.conflict('Only events to http:// and https:// endpoints are signed');
      }
      return { secret: await secrets.add(id) };
    },
  };
}
