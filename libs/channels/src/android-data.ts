import type { AndroidContent, Content } from '@tidings/events';
import { sendIdOf } from '@tidings/kernel';
import {
  badgeText,
  fileUrl,
  type Fragment,
  json,
  jsonString,
  type MessageKey,
  object,
  statisticsHash,
  text,
  textFor,
  type TemplateContext,
  variablesOf,
} from '@tidings/messaging';
import { absoluteBadge, relativeBadge } from './badge.ts';
import type { Push } from './channel-definition.ts';
import { carries, opens, hasAnyText } from './carried-content.ts';
import { type JsonObject, parseObject } from './exact-json.ts';
import { given } from './given-text.ts';
import { inboxFragments } from './inbox-fragments.ts';
import { openActionFragments } from './open-action.ts';

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const rootFragments = (params: JsonObject): Record<string, Fragment> =>
  Object.fromEntries(
    Object.entries(params).flatMap(([key, value]) => (value === null ? [] : [[key, json(stringOf(value))]])),
  );

function badgeFragment(value: string | undefined): Fragment | undefined {
  if (value === undefined) return undefined;
  return relativeBadge(value) === undefined ? json(value) : badgeText;
}

const soundOf = ({ sound, soundOff }: AndroidContent): string | undefined => (soundOff ? '' : sound);

const flag = (value: boolean | undefined): Fragment | undefined =>
  value === undefined ? undefined : json(value ? '1' : '0');
const named = (value: string | undefined): Fragment | undefined => (given(value) ? json(value) : undefined);

const colour = (value: string | undefined): string | undefined =>
  given(value) && !value.startsWith('#') ? `#${value}` : value;

function appearanceFragments(android: AndroidContent, context: TemplateContext): Record<string, Fragment | undefined> {
  const sound = soundOf(android);
  const picture = (value: string | undefined): Fragment | undefined =>
    given(value) ? fileUrl(value, context) : undefined;
  return {
    s: sound === undefined ? undefined : json(sound),
    i: named(android.icon),
    ci: picture(android.customIcon),
    b: picture(android.banner),
    ibc: named(android.iconBackground),
    led: named(colour(android.led)),
    vib: flag(android.vibration),
    pri: android.priority === undefined ? undefined : json(String(android.priority)),
    pw_badges: badgeFragment(android.badge),
    group_id: named(android.groupId),
    pw_lockscreen: flag(android.lockscreen),
  };
}

function isSilent(content: Content, android: AndroidContent | undefined, language: string): boolean {
  if (android?.silent) return true;
  const { title, header } = parseObject(android?.rootParams);
  const isDisplayed = title !== undefined || header !== undefined || hasAnyText(textsOf(content, android), language);
  return !isDisplayed && !content.voip && !opens(content, android);
}

const textsOf = (content: Content, android: AndroidContent | undefined) => [
  android?.text ?? content.text,
  android?.title ?? content.title,
];

export const androidHasContent = (content: Content, android: AndroidContent | undefined, language: string): boolean =>
  hasAnyText(textsOf(content, android), language) ||
  android?.silent === true ||
  content.voip ||
  carries(content, android);

export function androidBadge(android: AndroidContent | undefined): string | undefined {
  const { pw_badges: root } = parseObject(android?.rootParams);
  return root === undefined || root === null ? android?.badge : absoluteBadge(root);
}

const textual = (text: string | undefined): Fragment | undefined => (text === undefined ? undefined : json(text));

/** Root params take precedence, but not over the statistics hash and our mark (Spec I). */
export function androidData(
  message: Push,
  android: AndroidContent | undefined,
  language: string,
  key: MessageKey,
): Fragment {
  const content = message.content!;
  const context = { variables: variablesOf(content), tags: content.tags };
  const body = textFor(android?.text ?? content.text, language);
  const title = textFor(android?.title ?? content.title, language);
  const inbox = inboxFragments(message, language, context);
  const silent = isSilent(content, android, language) ? json('1') : undefined;
  const hash = { messageId: message.messageId, campaignId: message.campaignId, code: message.message };
  return object({
    title: given(body) ? text(body, context) : undefined,
    header: given(title) ? text(title, context) : undefined,
    u: textual(content.data),
    ...openActionFragments(android?.openAction ?? content, context, json),
    md: textual(content.metaData),
    pw_inbox: inbox.pw_inbox,
    inbox_params: inbox.inbox_params && jsonString(inbox.inbox_params),
    ...(android ? appearanceFragments(android, context) : {}),
    silent,
    pw_silent: silent,
    pw_msg_tag: json(sendIdOf(message)),
    ...rootFragments(parseObject(android?.rootParams)),
    pw_msg: json('1'),
    p: statisticsHash(hash, key),
  });
}

export const urgencyOf = (content: Content, android: AndroidContent | undefined): string | undefined =>
  content.voip ? 'HIGH' : android?.deliveryPriority?.toUpperCase();
