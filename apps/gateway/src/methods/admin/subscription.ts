import { type api, type OutputOf, platformWordOf } from '@tidings/contract';
import type { SubscriptionCampaign } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { SubscriptionView } from '@tidings/rpc';
import type { Context } from '../../context.ts';
import { rfc3339 } from '../times.ts';

/** A subscription as operators see it. */
export function shownSubscription({
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
  const { endpoint, events, applications, platforms, messageCodes, campaigns, enabled } = settings!;
  return {
    id,
    account,
    endpoint,
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

/** The secret in the reply that makes it. */
export const newSecret = (secret: string): { secret?: string } => (secret === '' ? {} : { secret });

export const subscriptionNotFound = (): Fault => Fault.notFound('Subscription not found');

/** Refuses applications of other accounts: the subscription would never receive their events. */
export async function checkApplications(
  context: Pick<Context, 'applications'>,
  account: string,
  applications: readonly string[],
): Promise<void> {
  const found = await Promise.all(
    applications.map((application) => context.applications.findApplication({ application })),
  );
  const unknown = found.findIndex(({ application }) => application?.account !== account);
  if (unknown >= 0) throw Fault.argument(`applications[${unknown}]: unknown application`);
}

/** The campaigns of an account by their codes. @throws Fault `argument` for an unknown one */
export async function campaignsOf(
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
