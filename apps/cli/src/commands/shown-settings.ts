import type { ReplyOf } from '@tidings/client';
import { lines } from '../table.ts';

type Settings = ReplyOf<'getApplicationSettings'>;
type Row = readonly [name: string, text: string];

const onOff = ({ on }: { readonly on: boolean }): string => (on ? 'on' : 'off');
const access = (required: boolean): string => (required ? 'with a token' : 'without a token');

const textOf = (settings: Settings) =>
  ({
    'debug mode': [settings.debug, settings.debug.debug_until ?? 'off'],
    'control group': [settings.control_group, `${settings.control_group.percentage} %`],
    'frequency cap': [
      settings.capping,
      settings.capping.days === null ? 'none' : `${settings.capping.count} in ${settings.capping.days} days`,
    ],
    'at most once': [settings.at_most_once, onOff(settings.at_most_once)],
    tracking: [settings.tracking, onOff(settings.tracking)],
    inboxes: [settings.inbox, access(settings.inbox.token_required)],
    'test devices': [settings.test_devices, access(settings.test_devices.token_required)],
    plan: [settings.plan, settings.plan.email_only ? 'e-mail contacts only' : 'all devices'],
    categories: [settings.categories, settings.categories.categories.join(', ') || 'any'],
    senders: [settings.senders, settings.senders.required ? settings.senders.verified.join(', ') : 'any'],
  }) as const;

export function shownSettings(settings: Settings): string {
  const own = Object.entries(textOf(settings)).map(([name, [setting, text]]): Row => [
    name,
    `${text}${setting.default ? '' : ' *'}`,
  ]);
  const limits = settings.rate_limits.map(({ token, requests, seconds }): Row => [
    `limit of ${token}`,
    `${requests} in ${seconds} s`,
  ]);
  const platforms = settings.platforms.map(({ platform, enabled, configured_at: at, secrets }): Row => [
    `platform ${platform}`,
    `${enabled ? 'enabled' : 'disabled'}, ${at === null ? '' : `configured at ${at}, `}secrets: ${secrets.join(', ') || 'none'}`,
  ]);
  const rows: Readonly<Record<string, string>> = Object.fromEntries([...own, ...limits, ...platforms]);
  return lines({
    title: settings.title,
    account: settings.account,
    ...rows,
  });
}
