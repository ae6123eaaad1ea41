import type { api, GivenContent, Notification, NotifyMessage } from '@tidings/contract';
import { Fault, Platform } from '@tidings/kernel';
import { MAX_AHEAD_MS } from '@tidings/messaging';
import type { CreatedMessage } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { acceptMessages } from '../messages/accept-messages.ts';
import type { MessageField, Paths } from '../messages/paths.ts';

const fields: Readonly<Partial<Record<MessageField, string>>> = {
  filter: 'code',
  filter_code: 'code',
  send_date: 'schedule.at',
};

const pathsIn = (path: string, { recipients, localized, presetPath }: NotifyMessage): Paths => ({
  message: path,
  of(field) {
    if (field === 'inbox_date') {
      return `${path}.payload.content.localized_content.${localized?.inbox?.path}.inbox.expiration_date`;
    }
    if (field === 'preset') return `${path}.${presetPath}`;
    if (field === 'expression' && recipients.kind === 'structured') return `${path}.filter_expression`;
    return `${path}.${fields[field] ?? field}`;
  },
});

function sendAtOf({ schedule, recipients }: NotifyMessage, path: string, now: number): Notification['sendAt'] {
  const ms = schedule?.at?.getTime() ?? (schedule?.afterMs === undefined ? undefined : now + schedule.afterMs);
  if (schedule === undefined || ms === undefined) return undefined;
  if (ms - now > MAX_AHEAD_MS) {
    throw Fault.argument(`${path}.schedule.${schedule.at ? 'at' : 'after'}: at most 365 days ahead`);
  }
  const at = new Date(ms);
  // A duration has no wall time, and test devices have no offsets (R-I9).
  const isLocal = schedule.followsZones && schedule.at !== undefined && recipients.kind !== 'testDevices';
  return { at, localAt: isLocal ? at : undefined, pastOffsets: schedule.pastOffsets };
}

const NOTHING: Partial<NonNullable<NotifyMessage['localized']>> = {};

function localizedOf({ localized, ownActions, silent }: NotifyMessage) {
  const { inbox, text, title, subtitle, settings, ...own } = localized ?? NOTHING;
  const silenced = <Of extends { readonly silent?: boolean | undefined }>(of: Of | undefined) =>
    of && { ...of, silent: of.silent ?? silent };
  const openActionOn = (code: number) => ({ openAction: ownActions.find(({ platform }) => platform === code) });
  return {
    text,
    title,
    subtitle,
    inbox: inbox?.content,
    settings: settings?.map((each) => ({
      ...each,
      ios: silenced(each.ios),
      android: silenced(each.android),
      huawei: silenced(each.huawei),
      amazon: silenced(each.amazon),
      chrome: silenced(each.chrome),
      firefox: silenced(each.firefox),
    })),
    ios: { ...silenced(own.ios ?? {}), ...openActionOn(Platform.iOS) },
    android: { ...silenced(own.android ?? {}), ...openActionOn(Platform.Android) },
    huawei: { ...silenced(own.huawei ?? {}), ...openActionOn(Platform.Huawei) },
    amazon: { ...silenced(own.amazon ?? {}), ...openActionOn(Platform.Amazon) },
    mac: { ...own.mac, ...openActionOn(Platform.MacOS) },
    chrome: { ...silenced(own.chrome ?? {}), ...openActionOn(Platform.Chrome) },
    firefox: { ...silenced(own.firefox ?? {}), ...openActionOn(Platform.Firefox) },
    safari: { ...own.safari },
    windows: { ...own.windows, ...openActionOn(Platform.Windows) },
    ...(own.sms && { sms: own.sms }),
  };
}

function contentOf(message: NotifyMessage): GivenContent {
  const { action } = message;
  return {
    ...localizedOf(message),
    data: message.data,
    link: action?.link,
    richMedia: action?.richMedia,
    pageId: undefined,
    remotePage: action?.remotePage,
    shortenLink: action?.shortenLink,
    actionsToShorten: message.ownActions.flatMap(({ platform, shortenLink }) => (shortenLink ? [platform] : [])),
    placeholders: message.placeholders,
    bindings: undefined,
    voip: message.voip,
    metaData: message.metaData,
    whatsApp: message.whatsApp,
    line: message.line,
    kakao: message.kakao,
    email: message.email,
    replacesAction: action !== undefined,
  };
}

const notificationOf = (message: NotifyMessage, transactionId: string, path: string, now: number): Notification => ({
  sendAt: sendAtOf(message, path, now),
  recipients: message.recipients,
  circle: undefined,
  platforms: message.platforms,
  preset: message.preset,
  platformPresets: message.platformPresets,
  campaign: message.campaign,
  campaignName: message.campaignName,
  transactionId,
  transactional: message.transactional,
  capping: message.capping,
  sendRate: message.sendRate,
  content: contentOf(message),
});

export const notify: Handler<typeof api.notify, 'access' | 'clock' | 'messages'> = async (
  { transactionId, path, message },
  context,
  call,
) => {
  const notification = notificationOf(message, transactionId, path, context.clock.now());
  const paths = pathsIn(path, message);
  const { application, isEmail, hasEmailPreset } = message;
  const messages = [{ notification, paths, isAlwaysStored: true, bySiblings: true, isEmail, hasEmailPreset }];
  const created = await acceptMessages({ applications: [application], group: '', messages }, context, call);
  const [{ code, unknown: names }] = created as [CreatedMessage];
  const unknown = message.returnsUnknown ? names : [];
  return { result: { message_code: code, ...(unknown.length > 0 ? { unknown_identifiers: unknown } : {}) } };
};
