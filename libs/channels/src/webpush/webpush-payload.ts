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
import { carries, opens, saysAny } from '../carried-content.ts';
import type { ChannelPayload, Push, PushKind } from '../channel-definition.ts';
import { parseObject } from '../exact-json.ts';
import { given } from '../given-text.ts';
import { inboxFragments } from '../inbox-fragments.ts';
import { inLanguage } from '../locale-settings.ts';
import { openActionFragments } from '../open-action.ts';
import { PLAINTEXT_LIMIT } from './webpush-encryption.ts';

export const BY_FCM = 'fcm';

type Look = Partial<ChromeContent>;

const looks: Readonly<Partial<Record<number, (content: Content) => Look | undefined>>> = {
  [Platform.Chrome]: ({ chrome }) => chrome,
  [Platform.Firefox]: ({ firefox }) => firefox,
};

const lookOf = (content: Content, platform: number): Look => looks[platform]?.(content) ?? {};

export const browserTtlSeconds = (content: Content | undefined, platform: number): number | undefined =>
  content && lookOf(content, platform).ttlSeconds;

const textsOf = (content: Content, look: Look) => [look.text ?? content.text, look.title ?? content.title];

export function browserHasContent({ content, platform }: PushKind, language: string): boolean {
  const look = lookOf(content!, platform);
  return saysAny(textsOf(content!, look), language) || look.silent === true || carries(content!, look);
}

function isSilent(content: Content, look: Look, language: string): boolean {
  if (look.silent) return true;
  const { body, header } = parseObject(look.rootParams);
  const shows = body !== undefined || header !== undefined || saysAny(textsOf(content, look), language);
  return !shows && !opens(content, look);
}

function buttonsFragment(look: Look, context: TemplateContext): Fragment | undefined {
  const both = [
    { label: look.buttonText1, address: look.buttonUrl1 },
    { label: look.buttonText2, address: look.buttonUrl2 },
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

const rootFragments = (look: Look, written: Written): Record<string, Fragment> =>
  Object.fromEntries(
    Object.entries(parseObject(look.rootParams))
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, typeof value === 'string' ? json(value) : written(json(value))]),
  );

function lookFragments(look: Look, context: TemplateContext, written: Written): Record<string, Fragment | undefined> {
  const { icon, image, durationSeconds } = look;
  return {
    i: given(icon) ? fileUrl(icon, context) : undefined,
    image: given(image) ? fileUrl(image, context) : undefined,
    buttons: buttonsFragment(look, context),
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
  const look = lookOf(content, push.platform);
  const body = textFor(look.text ?? content.text, language);
  const title = textFor(look.title ?? content.title, language);
  const inbox = inboxFragments(push, language, context);
  const hash = { messageId: push.messageId, campaignId: push.campaignId, code: push.message };
  return {
    body: given(body) ? text(body, context) : undefined,
    header: given(title) ? text(title, context) : undefined,
    u: content.data === undefined ? undefined : json(content.data),
    md: content.metaData === undefined ? undefined : written(rawJson(content.metaData)),
    ...openActionFragments(look.openAction ?? content, context, json),
    ...lookFragments(look, context, written),
    pw_inbox: inbox.pw_inbox,
    inbox_params: inbox.inbox_params && written(inbox.inbox_params),
    silent: isSilent(content, look, language) ? written(json(true)) : undefined,
    tag: json(sendIdOf(push)),
    ...rootFragments(look, written),
    p: statisticsHash(hash, key),
  };
}

export const webPushPayload = (push: Push, language: string, key: MessageKey): ChannelPayload => ({
  payload: compilePayload(object(browserFragments(push, language, key))),
  limit: PLAINTEXT_LIMIT,
});
