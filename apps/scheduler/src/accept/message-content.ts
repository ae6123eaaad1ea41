import { contentParts, tagsOf } from '@tidings/channels';
import {
  AndroidContent,
  ChromeContent,
  type Content,
  type EmailContent,
  FirefoxContent,
  IosContent,
  LineContent,
  LocaleSettings,
  type Localized,
  MacContent,
  type Preset,
  SafariContent,
  SmsContent,
  WindowsContent,
} from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { isShortenable, presetContent } from '@tidings/messaging';
import type { MessageRequest } from '@tidings/rpc';

export interface Presets {
  readonly preset: Preset | undefined;
  readonly byPlatform: ReadonlyMap<number, Preset>;
}

const isGiven = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

function overlaid<Of extends object>(base: Of | undefined, empty: Of, given: Of | undefined): Of {
  if (!base || !given) return given ?? base ?? empty;
  return { ...base, ...Object.fromEntries(Object.entries(given).filter(([, value]) => isGiven(value))) };
}

const ios = IosContent.fromPartial({});
const android = AndroidContent.fromPartial({});
const mac = MacContent.fromPartial({});
const chrome = ChromeContent.fromPartial({});
const firefox = FirefoxContent.fromPartial({});
const safari = SafariContent.fromPartial({});
const windows = WindowsContent.fromPartial({});
const sms = SmsContent.fromPartial({});

const pushContent = (base: Partial<Content>, given: Partial<Content>) => ({
  ios: overlaid(base.ios, ios, given.ios),
  android: overlaid(base.android, android, given.android),
  huawei: overlaid(base.huawei, android, given.huawei),
  amazon: overlaid(base.amazon, android, given.amazon),
  mac: overlaid(base.mac, mac, given.mac),
  chrome: overlaid(base.chrome, chrome, given.chrome),
  firefox: overlaid(base.firefox, firefox, given.firefox),
  safari: overlaid(base.safari, safari, given.safari),
  windows: overlaid(base.windows, windows, given.windows),
});

const NO_ACTION = {
  link: undefined,
  deepLinkId: undefined,
  deepLinkParams: undefined,
  richMedia: undefined,
  pageId: undefined,
  remotePage: undefined,
};

function baseOf(preset: Preset | undefined, { message, replacesAction }: MessageRequest): Content {
  const base = presetContent(preset);
  if (replacesAction) return { ...base, ...NO_ACTION };
  return message?.content?.link === undefined ? base : { ...base, deepLinkId: undefined, deepLinkParams: undefined };
}

const NOT_SETTINGS = { text: undefined, title: undefined, subtitle: undefined, openAction: undefined };

function settingsOf(given: LocaleSettings, base: Content): LocaleSettings {
  const parts = { ...pushContent(base, given), sms: overlaid(base.sms, sms, given.sms) };
  const own = Object.entries(parts).filter(([name]) => given[name as keyof typeof parts] !== undefined);
  const settings = Object.fromEntries(own.map(([name, part]) => [name, { ...part, ...NOT_SETTINGS }]));
  return LocaleSettings.fromPartial({ language: given.language, ...settings });
}

const DEFAULT = 'default';

const soleText = ({ entries: [first, ...others] }: Localized): string | undefined =>
  others.length === 0 && first?.language === DEFAULT ? first.text : undefined;

/** A subject for all languages has every key of the body (R-E9). */
function emailOf(given: EmailContent, hasOneSubject: boolean, base: Content): EmailContent {
  const body = given.body ?? base.text ?? { entries: [] };
  const subject = given.subject ?? base.title;
  const everywhere = subject && (given.subject === undefined || hasOneSubject) ? soleText(subject) : undefined;
  if (everywhere === undefined) return { ...given, body, subject: subject ?? { entries: [] } };
  return { ...given, body, subject: { entries: body.entries.map(({ language }) => ({ language, text: everywhere })) } };
}

const lineOf = (own: Content | undefined): LineContent | undefined =>
  own && (own.line ?? LineContent.fromPartial({ text: own.text }));

const shortenable = (content: Content, platforms: readonly number[]): number[] =>
  platforms.filter((platform) => {
    const part = content[contentParts.get(platform)!];
    const link = part && 'openAction' in part ? part.openAction?.link : undefined;
    return link !== undefined && isShortenable(link);
  });

export interface MessageContent {
  readonly content: Content;
  readonly linkToShorten: string;
  readonly actionsToShorten: readonly number[];
}

/** Each field comes from the request, else from its preset (R-I19, R-K4, R-O1). */
export function messageContent(request: MessageRequest, { preset, byPlatform }: Presets): MessageContent {
  const given = request.message!.content!;
  const base = baseOf(preset, request);
  const common = {
    ...(preset ? overlaid(base, base, given) : given),
    placeholders: given.placeholders || base.placeholders,
    bindings: given.bindings || base.bindings,
  };
  const { email } = given;
  const emailBase = byPlatform.get(Platform.Email)?.content ?? base;
  const settings = given.settings.map((each) => settingsOf(each, base));
  const content: Content = {
    ...common,
    ...pushContent(base, given),
    ...(request.withoutUrlArgs && { safari: { ...overlaid(base.safari, safari, given.safari), urlArgs: [] } }),
    whatsApp: given.whatsApp,
    kakao: given.kakao,
    line: given.line ?? lineOf(byPlatform.get(Platform.Line)?.content) ?? base.line,
    email: email && emailOf(email, request.hasOneSubject, emailBase),
    sms: given.sms ? overlaid(base.sms, sms, given.sms) : base.sms,
    settings: settings.length > 0 || request.withoutSettings ? settings : base.settings,
  };
  const { link } = content;
  const shorten = (request.shortenLink ?? preset?.shortenLink ?? true) && link !== undefined && isShortenable(link);
  return {
    content: { ...content, link: shorten ? undefined : link, tags: tagsOf(content) },
    linkToShorten: shorten ? link : '',
    actionsToShorten: shortenable(content, request.actionsToShorten),
  };
}
