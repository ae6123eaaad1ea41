import { contentParts, tagsOf } from '@tidings/channels';
import type { GivenContent } from '@tidings/contract';
import {
  AndroidContent,
  ChromeContent,
  type Content,
  FirefoxContent,
  IosContent,
  KakaoContent,
  LineContent,
  LocaleSettings,
  MacContent,
  type Preset,
  SafariContent,
  WhatsAppContent,
  WindowsContent,
  SmsContent,
} from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { isShortenable, presetContent } from '@tidings/messaging';
import type { PreparedAudience } from '@tidings/rpc';
import { emailOf } from './email-content.ts';

type Given<Of> = { readonly [Name in keyof Of]?: Of[Name] | undefined };

/** The base with every given field replaced as a whole (R-K4). */
function overlaid<Of extends object>(base: Of, given: Given<Of>): Of {
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...base, ...Object.fromEntries(fields) };
}

/** A platform's own content: the preset's, if it has one, with every given field replaced. */
const own = <Of extends object>(said: Of | undefined, empty: Of, given: Given<Of>): Of =>
  overlaid(said ?? empty, given);

const NO_ACTION = {
  ...{
    link: undefined,
    deepLinkId: undefined,
    deepLinkParams: undefined,
    richMedia: undefined,
    pageId: undefined,
    remotePage: undefined,
  },
};

/** The content of the preset. Its deep link is dropped if the request has a link of its own. */
function saidBy(
  preset: Preset | undefined,
  { link, replacesAction }: Pick<GivenContent, 'link' | 'replacesAction'>,
): Content {
  const said = presetContent(preset);
  if (replacesAction) return { ...said, ...NO_ACTION };
  return link === undefined ? said : { ...said, deepLinkId: undefined, deepLinkParams: undefined };
}

type Settings = NonNullable<GivenContent['settings']>[number];

/** Fields that a platform has once for all locales. */
const NOT_SETTINGS = { text: undefined, title: undefined, subtitle: undefined, openAction: undefined };

/** The settings of a platform in a locale: the preset's, with those given replaced. */
const settingsOf = (
  { language, ios, android, huawei, amazon, mac, safari, chrome, firefox, windows, sms }: Settings,
  said: Content,
): LocaleSettings =>
  LocaleSettings.fromPartial({
    language,
    ios: ios && { ...own(said.ios, IosContent.fromPartial({}), ios), ...NOT_SETTINGS },
    android: android && { ...own(said.android, AndroidContent.fromPartial({}), android), ...NOT_SETTINGS },
    huawei: huawei && { ...own(said.huawei, AndroidContent.fromPartial({}), huawei), ...NOT_SETTINGS },
    amazon: amazon && { ...own(said.amazon, AndroidContent.fromPartial({}), amazon), ...NOT_SETTINGS },
    mac: mac && { ...own(said.mac, MacContent.fromPartial({}), mac), ...NOT_SETTINGS },
    safari: safari && { ...own(said.safari, SafariContent.fromPartial({}), safari), ...NOT_SETTINGS },
    chrome: chrome && { ...own(said.chrome, ChromeContent.fromPartial({}), chrome), ...NOT_SETTINGS },
    firefox: firefox && { ...own(said.firefox, FirefoxContent.fromPartial({}), firefox), ...NOT_SETTINGS },
    windows: windows && { ...own(said.windows, WindowsContent.fromPartial({}), windows), ...NOT_SETTINGS },
    sms: sms && { ...own(said.sms, SmsContent.fromPartial({}), sms), ...NOT_SETTINGS },
  });

/** The text of a preset for LINE alone. */
const lineOf = (said: Content | undefined): LineContent | undefined =>
  said && (said.line ?? LineContent.fromPartial({ text: said.text }));

/** Platforms whose own action has a link that a short one can replace. */
const shortenable = (content: Content, asked: readonly number[]): number[] =>
  asked.filter((platform) => {
    const part = content[contentParts.get(platform)!];
    const link = part && 'openAction' in part ? part.openAction?.link : undefined;
    return link !== undefined && isShortenable(link);
  });

/**
 * The content of a message: each field from the request, else from its preset; `linkToShorten` is "" without a link, `actionsToShorten` are the
 * platforms whose own action has one (R-I19, R-K4, R-O1).
 */
export function contentOf(
  {
    shortenLink: asked,
    actionsToShorten = [],
    replacesAction = false,
    settings,
    ios,
    android,
    huawei,
    amazon,
    mac,
    chrome,
    firefox,
    safari,
    whatsApp,
    email,
    windows,
    sms,
    kakao,
    ...common
  }: GivenContent,
  { preset, platformPresets }: Pick<PreparedAudience, 'preset' | 'platformPresets'>,
): { content: Content; linkToShorten: string; actionsToShorten: number[] } {
  const said = saidBy(preset, { link: common.link, replacesAction });
  /** The content of the preset that is a platform's own. */
  const ownOf = (code: number): Content | undefined =>
    platformPresets.find(({ platform }) => platform === code)?.preset?.content;
  const content: Content = {
    ...overlaid(said, common),
    ios: own(said.ios, IosContent.fromPartial({}), ios),
    android: own(said.android, AndroidContent.fromPartial({}), android),
    huawei: own(said.huawei, AndroidContent.fromPartial({}), huawei),
    amazon: own(said.amazon, AndroidContent.fromPartial({}), amazon),
    mac: own(said.mac, MacContent.fromPartial({}), mac),
    chrome: own(said.chrome, ChromeContent.fromPartial({}), chrome),
    firefox: own(said.firefox, FirefoxContent.fromPartial({}), firefox),
    safari: own(said.safari, SafariContent.fromPartial({}), safari),
    whatsApp: whatsApp && WhatsAppContent.fromPartial(whatsApp),
    line: common.line ?? lineOf(ownOf(Platform.Line)) ?? said.line,
    email: email && emailOf(email, ownOf(Platform.Email) ?? said),
    windows: own(said.windows, WindowsContent.fromPartial({}), windows),
    sms: sms ? own(said.sms, SmsContent.fromPartial({}), sms) : said.sms,
    kakao: kakao && KakaoContent.fromPartial(kakao),
    settings: settings?.map((each) => settingsOf(each, said)) ?? said.settings,
  };
  const { link } = content;
  const shorten = (asked ?? preset?.shortenLink ?? true) && link !== undefined && isShortenable(link);
  return {
    content: { ...content, link: shorten ? undefined : link, tags: tagsOf(content) },
    linkToShorten: shorten ? link : '',
    actionsToShorten: shortenable(content, actionsToShorten),
  };
}
