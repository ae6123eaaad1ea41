import { ALERT, contentParts, inLanguage, plainText } from '@tidings/channels';
import type {
  AndroidContent,
  ChromeContent,
  Content,
  FirefoxContent,
  IosContent,
  Localized,
  MacContent,
  MessageAccepted,
  OpenAction,
  ReportedEntry,
  SafariContent,
} from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { inboxImageOf, inboxRemovalIn, textFor } from '@tidings/messaging';
import { Attributes } from '@tidings/rpc';

export interface Reader {
  readonly platform: number;
  readonly language: string;
}

export interface Shows {
  readonly text: (template: string) => string;
  readonly url: (template: string) => string;
  readonly fileUrl: (template: string) => string;
}

const SHORTENED = 2;
const INT32_MAX = 2_147_483_647;

export function attributesOf(accepted: MessageAccepted, { platform, language }: Reader, shows: Shows): Attributes {
  const text = (localized: Localized | undefined): string => shows.text(textFor(localized, language) ?? '');
  const url = (template: string | undefined): string => shows.url(template ?? '');
  const picture = (template: string | undefined): string => shows.fileUrl(template ?? '');
  const content = accepted.content && inLanguageOf(accepted.content, language);
  const action = actionOf(content, platform);
  return Attributes.fromPartial({
    segment: accepted.filterCode,
    userData: content?.data,
    deepLinkParams: content?.deepLinkParams,
    dynamicContentPlaceholders: content?.placeholders,
    geozone: accepted.geozone > INT32_MAX ? 0 : Number(accepted.geozone),
    richMediaCode: action.action?.richMedia,
    inboxImage: picture(content?.inbox && inboxImageOf(content.inbox, platform, language)),
    ...linkOf(accepted, action, platform, url),
    ...commonOf(content, text),
    ...androidOf(content?.android, text, picture),
    ...appleOf(content, text, url, picture),
    ...chromeOf(content?.chrome, text, picture),
    ...firefoxOf(content?.firefox, text),
  });
}

export function inboxAttributes(
  { order, removal }: ReportedEntry,
  { content }: MessageAccepted,
  { platform, language }: Reader,
): Pick<Attributes, 'inboxCode' | 'inboxDate'> {
  const own = content?.inbox && inboxRemovalIn(content.inbox, platform, language);
  const seconds = own ? Math.floor(own.getTime() / 1000) : Number(removal);
  return { inboxCode: String(order), inboxDate: Math.min(seconds, INT32_MAX) };
}

type Shown<T> = (value: T | undefined) => string;

const shownPlatforms = [
  ...[Platform.iOS, Platform.Android, Platform.MacOS],
  ...[Platform.Chrome, Platform.Firefox, Platform.Safari],
] as const;

const inLanguageOf = (content: Content, language: string): Content =>
  content.settings.length === 0
    ? content
    : shownPlatforms.reduce(
        (shown, platform) => inLanguage({ platform, variant: ALERT, content: shown }, language).content,
        content,
      );

interface Action {
  readonly action: OpenAction | undefined;
  readonly isOwn: boolean;
}

function actionOf(content: Content | undefined, platform: number): Action {
  const part = contentParts.get(platform);
  const fields = part && content?.[part];
  const own = fields && 'openAction' in fields ? fields.openAction : undefined;
  return { action: own ?? content, isOwn: own !== undefined };
}

function linkOf(accepted: MessageAccepted, { action, isOwn }: Action, platform: number, url: Shown<string>) {
  const target = isOwn
    ? accepted.actionLinks.find((link) => link.platform === platform)?.target
    : accepted.shortLinkTarget || undefined;
  return {
    url: url(action?.link),
    originalUrl: url(target ?? action?.link),
    urlMinimize: target === undefined ? 0 : SHORTENED,
  };
}

const commonOf = (content: Content | undefined, text: Shown<Localized>) => ({
  liveActivityId: content?.liveActivity?.id,
  pushTitle: text(content?.title),
  pushSubtitle: text(content?.subtitle),
  pushBody: text(content?.text),
});

const androidOf = (android: AndroidContent | undefined, text: Shown<Localized>, picture: Shown<string>) => ({
  androidHeader: text(android?.title),
  androidBody: text(android?.text),
  androidBanner: picture(android?.banner),
  androidSilent: android?.silent,
  androidSoundOff: android?.soundOff,
  androidRootParams: android?.rootParams,
});

const chromeOf = (chrome: ChromeContent | undefined, text: Shown<Localized>, picture: Shown<string>) => ({
  chromeHeader: text(chrome?.title),
  chromeBody: text(chrome?.text),
  chromeRootParams: chrome?.rootParams,
  chromeDuration: chrome?.durationSeconds === undefined ? undefined : Math.min(chrome.durationSeconds, INT32_MAX),
  chromeImage: picture(chrome?.image),
});

const firefoxOf = (firefox: FirefoxContent | undefined, text: Shown<Localized>) => ({
  firefoxHeader: text(firefox?.title),
  firefoxBody: text(firefox?.text),
  firefoxRootParams: firefox?.rootParams,
});

const appleOf = (content: Content | undefined, text: Shown<Localized>, url: Shown<string>, picture: Shown<string>) => ({
  ...iosOf(content?.ios, text, picture),
  iosLiveActivityId: content?.liveActivity?.id,
  ...macOf(content?.mac, text),
  ...safariOf(content?.safari, text, url),
});

const macOf = (mac: MacContent | undefined, text: Shown<Localized>) => ({
  macTitle: text(mac?.title),
  macSubtitle: text(mac?.subtitle),
  macBody: text(mac?.text),
  macRootParams: mac?.rootParams,
});

const safariOf = (safari: SafariContent | undefined, text: Shown<Localized>, url: Shown<string>) => ({
  safariTitle: text(safari?.title),
  safariBody: text(safari?.text),
  safariUrlArgs: safari?.urlArgs?.map(url),
  safariAction: text(plainText(safari?.action)),
});

const iosOf = (ios: IosContent | undefined, text: Shown<Localized>, picture: Shown<string>) => ({
  iosTitle: text(ios?.title),
  iosSubtitle: text(ios?.subtitle),
  iosBody: text(ios?.text),
  iosAttachment: picture(ios?.attachment),
  iosCritical: ios?.critical,
  iosSilent: ios?.silent,
  iosRootParams: ios?.rootParams,
});
