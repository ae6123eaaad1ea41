import type { api, OutputOf } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { PlatformSettings } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

type Reply = OutputOf<typeof api.getApplicationSettings>;

const switchOf = (on: boolean, initial: boolean) => ({ on, default: on === initial });

const requirement = (required: boolean) => ({ token_required: required, default: !required });

const shownPlatform = (each: PlatformSettings): Reply['platforms'][number] => ({
  platform: each.platform,
  enabled: each.enabled,
  configured_at: rfc3339(each.configuredAt),
  settings: each.settings,
  secrets: each.secrets,
});

export const getApplicationSettings: Handler<typeof api.getApplicationSettings, 'applications' | 'clock'> = async (
  { code },
  { applications, clock },
) => {
  const { view, ...found } = await applications.getSettings({ application: code });
  if (!view) throw Fault.notFound('Application not found');
  const debugUntil = view.debugUntil && view.debugUntil.getTime() > clock.now() ? view.debugUntil : undefined;
  const { controlGroupPercentage: percentage, capping } = view;
  const { categories, sendersRequired: required, verifiedSenders: verified } = found;
  return {
    application: view.code,
    account: view.account,
    title: view.title,
    ios_sdk: found.sdkIos,
    android_sdk: found.sdkAndroid,
    icon: found.hasIcon,
    authorize_all_tokens: view.authorizeAllTokens,
    debug: { debug_until: rfc3339(debugUntil), default: debugUntil === undefined },
    control_group: { percentage, default: percentage === 0 },
    capping: { days: capping?.days ?? null, count: capping?.count ?? 0, default: capping === undefined },
    at_most_once: switchOf(view.atMostOnce, false),
    tracking: switchOf(!view.trackingOff, true),
    inbox: requirement(view.inboxTokenRequired),
    test_devices: requirement(view.testDeviceTokenRequired),
    plan: { email_only: view.emailOnly, default: !view.emailOnly },
    categories: { categories, default: categories.length === 0 },
    senders: { required, verified, default: !required && verified.length === 0 },
    rate_limits: found.tokenLimits.map(({ token, requests, seconds }) => ({ token, requests, seconds })),
    platforms: found.platforms.map(shownPlatform),
  };
};
