import { DEFAULT_ACCOUNT } from '@tidings/audience';
import { type api, type OutputOf, platformWordOf } from '@tidings/contract';
import { EventFormat, type SubscriptionCampaign } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { SubscriptionView } from '@tidings/rpc';
import type { Context, Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

type Format = OutputOf<typeof api.getSubscription>['format'];

const formats: Readonly<Record<Format, EventFormat>> = {
  protobuf: EventFormat.EVENT_FORMAT_UNSPECIFIED,
  json: EventFormat.EVENT_FORMAT_JSON,
};

const formatOf = (word: Format | undefined): EventFormat | undefined => word && formats[word];

function shownSubscription({
  id,
  account,
  settings,
  createdAt,
  disabledReason,
  disabledAt,
  deferredEvents,
  oldestDeferredAt,
  droppedEvents,
}: SubscriptionView): OutputOf<typeof api.getSubscription> {
  const { endpoint, format, events, applications, platforms, messageCodes, campaigns, enabled } = settings!;
  return {
    id,
    account,
    endpoint,
    format: format === EventFormat.EVENT_FORMAT_JSON ? 'json' : 'protobuf',
    events,
    applications,
    platforms: platforms.map((code) => platformWordOf(code)!),
    campaigns: campaigns.map(({ code }) => code),
    message_codes: messageCodes,
    enabled,
    created_at: rfc3339(createdAt),
    disabled_reason: disabledAt ? disabledReason : null,
    disabled_at: rfc3339(disabledAt),
    deferred_events: deferredEvents,
    oldest_deferred_at: rfc3339(oldestDeferredAt),
    dropped_events: Number(droppedEvents),
  };
}

const newSecret = (secret: string): { secret?: string } => (secret === '' ? {} : { secret });

const subscriptionNotFound = (): Fault => Fault.notFound('Subscription not found');

/** The subscription would never receive events of another account. */
async function checkApplications(
  { applications }: Pick<Context, 'applications'>,
  account: string,
  codes: readonly string[],
): Promise<void> {
  const found = await Promise.all(codes.map((application) => applications.findApplication({ application })));
  const unknown = found.findIndex(({ application }) => application?.account !== account);
  if (unknown >= 0) throw Fault.argument(`applications[${unknown}]: unknown application`);
}

async function campaignsOf(
  { presets }: Pick<Context, 'presets'>,
  account: string,
  codes: readonly string[],
): Promise<SubscriptionCampaign[]> {
  const found = await Promise.all(codes.map((code) => presets.findCampaign({ account, code })));
  return found.map(({ campaign }, i) => {
    if (!campaign) throw Fault.argument(`campaigns[${i}]: not found`);
    return { code: campaign.code, id: String(campaign.id) };
  });
}

export const createSubscription: Handler<
  typeof api.createSubscription,
  'accounts' | 'applications' | 'presets' | 'subscriptions'
> = async (input, context) => {
  const {
    endpoint = '',
    format,
    events,
    applications = [],
    campaigns: codes = [],
    platforms = [],
    messageCodes = [],
    enabled = true,
  } = input;
  const { account = DEFAULT_ACCOUNT } = input;
  const { found } = await context.accounts.findAccount({ account });
  if (!found) throw Fault.notFound('Account not found');
  await checkApplications(context, account, applications);
  const campaigns = await campaignsOf(context, account, codes);
  const { id, secret } = await context.subscriptions.create({
    account,
    settings: {
      endpoint,
      format: formatOf(format),
      events,
      applications,
      platforms,
      messageCodes,
      campaigns,
      enabled,
    },
  });
  return { id, ...newSecret(secret) };
};

const listOf = <Item>(items: Item[] | undefined): { items: Item[] } | undefined => items && { items };

export const changeSubscription: Handler<
  typeof api.changeSubscription,
  'applications' | 'presets' | 'subscriptions'
> = async (input, context) => {
  const { id, endpoint, format, events, applications, campaigns, platforms, messageCodes, enabled } = input;
  const { subscriptions } = context;
  const stored = await subscriptions.find({ id });
  if (!stored.subscription) throw subscriptionNotFound();
  const { account } = stored.subscription;
  await checkApplications(context, account, applications ?? []);
  const found = campaigns && (await campaignsOf(context, account, campaigns));
  const { subscription } = await subscriptions.change({
    id,
    endpoint,
    format: formatOf(format),
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

export const getSubscription: Handler<typeof api.getSubscription, 'subscriptions'> = async (
  { id },
  { subscriptions },
) => {
  const { subscription } = await subscriptions.find({ id });
  if (!subscription) throw subscriptionNotFound();
  return shownSubscription(subscription);
};

export const listSubscriptions: Handler<typeof api.listSubscriptions, 'subscriptions'> = async (
  _input,
  { subscriptions },
) => {
  const { subscriptions: found } = await subscriptions.list({});
  return { subscriptions: found.map(shownSubscription) };
};

export const deleteSubscription: Handler<typeof api.deleteSubscription, 'subscriptions'> = async (
  { id },
  { subscriptions },
) => {
  const { deleted } = await subscriptions.delete({ id });
  if (!deleted) throw subscriptionNotFound();
};

export const addSubscriptionSecret: Handler<typeof api.addSubscriptionSecret, 'subscriptions'> = async (
  { id },
  { subscriptions },
) => {
  const { secret } = await subscriptions.addSecret({ id });
  if (secret === '') throw subscriptionNotFound();
  return { secret };
};
