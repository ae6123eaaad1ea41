import type { ChromeContent, Content } from '@tidings/events';
import { Platform, sendIdOf } from '@tidings/kernel';
import {
  compilePayload,
  fileUrl,
  type Fragment,
  json,
  jsonString,
  list,
  type MessageKey,
  object,
  rawJson,
  statisticsHash,
  text,
  textFor,
  type TemplateContext,
  url,
  variablesOf,
} from '@tidings/messaging';
import { carries, opens, hasAnyText } from '../carried-content.ts';
import type { ChannelPayload, Push, PushKind } from '../channel-definition.ts';
import { parseObject } from '../exact-json.ts';
import { given } from '../given-text.ts';
import { inboxFragments } from '../inbox-fragments.ts';
import { inLanguage } from '../locale-settings.ts';
import { openActionFragments } from '../open-action.ts';
import { PLAINTEXT_LIMIT } from './webpush-encryption.ts';

export const BY_FCM = 'fcm';

type BrowserContent = Partial<ChromeContent>;

const contentByPlatform: Readonly<Partial<Record<number, (content: Content) => BrowserContent | undefined>>> = {
  [Platform.Chrome]: ({ chrome }) => chrome,
  [Platform.Firefox]: ({ firefox }) => firefox,
};

const browserContentOf = (content: Content, platform: number): BrowserContent =>
  contentByPlatform[platform]?.(content) ?? {};

export const browserTtlSeconds = (content: Content | undefined, platform: number): number | undefined =>
  content && browserContentOf(content, platform).ttlSeconds;

const textsOf = (content: Content, browser: BrowserContent) => [
  browser.text ?? content.text,
  browser.title ?? content.title,
];

export function browserHasContent({ content, platform }: PushKind, language: string): boolean {
  const browser = browserContentOf(content!, platform);
  return hasAnyText(textsOf(content!, browser), language) || browser.silent === true || carries(content!, browser);
}

function isSilent(content: Content, browser: BrowserContent, language: string): boolean {
  if (browser.silent) return true;
  const { body, header } = parseObject(browser.rootParams);
  const isDisplayed = body !== undefined || header !== undefined || hasAnyText(textsOf(content, browser), language);
  return !isDisplayed && !opens(content, browser);
}

function buttonsFragment(browser: BrowserContent, context: TemplateContext): Fragment | undefined {
  const both = [
    { label: browser.buttonText1, address: browser.buttonUrl1 },
    { label: browser.buttonText2, address: browser.buttonUrl2 },
  ];
  const buttons = both.flatMap(({ label, address }) =>
    given(label)
      ? [object({ title: text(label, context), url: given(address) ? url(address, context) : undefined })]
      : [],
  );
  if (buttons.length === 0) return undefined;
  return jsonString(list(buttons));
}

type Written = (member: Fragment) => Fragment;

const rootFragments = (browser: BrowserContent, written: Written): Record<string, Fragment> =>
  Object.fromEntries(
    Object.entries(parseObject(browser.rootParams))
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, typeof value === 'string' ? json(value) : written(json(value))]),
  );

function appearanceFragments(
  browser: BrowserContent,
  context: TemplateContext,
  written: Written,
): Record<string, Fragment | undefined> {
  const { icon, image, durationSeconds } = browser;
  return {
    i: given(icon) ? fileUrl(icon, context) : undefined,
    image: given(image) ? fileUrl(image, context) : undefined,
    buttons: buttonsFragment(browser, context),
    duration: durationSeconds === undefined ? undefined : written(json(durationSeconds)),
    requireInteraction: durationSeconds === 0 ? written(json(true)) : undefined,
  };
}

/** Root params take precedence, but not over the statistics hash. */
export function browserFragments(
  push: Push,
  language: string,
  key: MessageKey,
  written: Written = (member) => member,
): Record<string, Fragment | undefined> {
  const content = inLanguage(push, language).content!;
  const context = { variables: variablesOf(content), tags: content.tags };
  const browser = browserContentOf(content, push.platform);
  const body = textFor(browser.text ?? content.text, language);
  const title = textFor(browser.title ?? content.title, language);
  const inbox = inboxFragments(push, language, context);
  const hash = { messageId: push.messageId, campaignId: push.campaignId, code: push.message };
  return {
    body: given(body) ? text(body, context) : undefined,
    header: given(title) ? text(title, context) : undefined,
    u: content.data === undefined ? undefined : json(content.data),
    md: content.metaData === undefined ? undefined : written(rawJson(content.metaData)),
    ...openActionFragments(browser.openAction ?? content, context, json),
    ...appearanceFragments(browser, context, written),
    pw_inbox: inbox.pw_inbox,
    inbox_params: inbox.inbox_params && written(inbox.inbox_params),
    silent: isSilent(content, browser, language) ? written(json(true)) : undefined,
    tag: json(sendIdOf(push)),
    ...rootFragments(browser, written),
    p: statisticsHash(hash, key),
  };
}

export const webPushPayload = (push: Push, language: string, key: MessageKey): ChannelPayload => ({
  payload: compilePayload(object(browserFragments(push, language, key))),
  limit: PLAINTEXT_LIMIT,
});
