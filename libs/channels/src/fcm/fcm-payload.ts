import type { AndroidContent, Content } from '@tidings/events';
import { sendIdOf } from '@tidings/kernel';
import {
  badgeText,
  compilePayload,
  type Fragment,
  json,
  jsonString,
  type MessageKey,
  object,
  OVERSIZED_BYTES,
  statisticsHash,
  text,
  textFor,
  type TemplateContext,
  token,
  url,
  variablesOf,
} from '@tidings/messaging';
import { relativeBadge } from '../badge.ts';
import { BY_FCM, browserFragments } from '../webpush/webpush-payload.ts';
import { webPushHeaders } from '../webpush/webpush-headers.ts';
import type { ChannelPayload, Push } from '../channel-definition.ts';
import { type JsonObject, parseObject } from '../exact-json.ts';
import { inboxFragments } from '../inbox-fragments.ts';
import { inLanguage } from '../locale-settings.ts';
import { openActionFragments } from '../open-action.ts';

/** Bytes of keys and values in `data`. */
const LIMIT = 4096;
const LONGEST_TTL_SECONDS = 2_419_200;

const given = (value: string | undefined): value is string => value !== undefined && value !== '';

/** `data` holds strings only. */
const stringOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const rootFragments = (params: JsonObject): Record<string, Fragment> =>
  Object.fromEntries(
    Object.entries(params).flatMap(([key, value]) => (value === null ? [] : [[key, json(stringOf(value))]])),
  );

/** The values of relative badges are computed per device. */
function badgeFragment(value: string | undefined): Fragment | undefined {
  if (value === undefined) return undefined;
  return relativeBadge(value) === undefined ? json(value) : badgeText;
}

/** An absent sound is the default one, an empty one is none. */
const soundOf = ({ sound, soundOff }: AndroidContent): string | undefined => (soundOff ? '' : sound);

const flag = (value: boolean | undefined): Fragment | undefined =>
  value === undefined ? undefined : json(value ? '1' : '0');
const named = (value: string | undefined): Fragment | undefined => (given(value) ? json(value) : undefined);

const colour = (value: string | undefined): string | undefined =>
  given(value) && !value.startsWith('#') ? `#${value}` : value;

/** The appearance of the notification, by the keys that the client reads. */
function lookFragments(android: AndroidContent, context: TemplateContext): Record<string, Fragment | undefined> {
  const sound = soundOf(android);
  const address = (value: string | undefined): Fragment | undefined => (given(value) ? url(value, context) : undefined);
  return {
    s: sound === undefined ? undefined : json(sound),
    i: named(android.icon),
    ci: address(android.customIcon),
    b: address(android.banner),
    ibc: named(android.iconBackground),
    led: named(colour(android.led)),
    vib: flag(android.vibration),
    pri: android.priority === undefined ? undefined : json(String(android.priority)),
    pw_badges: badgeFragment(android.badge),
    group_id: named(android.groupId),
    silent: android.silent ? json('1') : undefined,
    pw_silent: android.silent ? json('1') : undefined,
  };
}

/** A JSON text as a string. */
const textual = (text: string | undefined): Fragment | undefined => (text === undefined ? undefined : json(text));

function dataFragment(message: Push, language: string, key: MessageKey): Fragment {
  const content = message.content!;
  const { android } = content;
  const context = { variables: variablesOf(content), tags: content.tags };
  const body = textFor(android?.text ?? content.text, language);
  const title = textFor(android?.title ?? content.title, language);
  const inbox = inboxFragments(message, language, context);
  const hash = { messageId: message.messageId, campaignId: message.campaignId, code: message.message };
  return object({
    title: given(body) ? text(body, context) : undefined,
    header: given(title) ? text(title, context) : undefined,
    u: textual(content.data),
    ...openActionFragments(android?.openAction ?? content, context, (page) => JSON.stringify(page)),
    md: textual(content.metaData),
    pw_inbox: inbox.pw_inbox,
    inbox_params: inbox.inbox_params && jsonString(inbox.inbox_params),
    ...(android ? lookFragments(android, context) : {}),
    // The notification of a repeat replaces the original.
    pw_msg_tag: json(sendIdOf(message)),
    ...rootFragments(parseObject(android?.rootParams)),
    pw_msg: json('1'),
    p: statisticsHash(hash, key),
  });
}

function priorityOf(content: Content): string | undefined {
  if (content.voip) return 'HIGH';
  return content.android?.deliveryPriority?.toUpperCase();
}

/**
 * The request body for a message in a language: a data message with string values only (Spec I). Root params are merged into `data`; they take
 * precedence, but not over the statistics hash and the mark of our messages.
 * @param key the message's, in the application of the devices
 */
export function fcmPayload(push: Push, language: string, key: MessageKey): ChannelPayload {
  const message = inLanguage(push, language);
  const whole = object({
    message: object({
      token,
      ...(message.variant === BY_FCM ? pageFragments : appFragments)(message, language, key),
    }),
  });
  return { payload: compilePayload(whole), limit: LIMIT };
}

/** For an app on Android. */
function appFragments(message: Push, language: string, key: MessageKey): Record<string, Fragment> {
  const content = message.content!;
  const ttlSeconds = content.android?.ttlSeconds;
  const ttl = ttlSeconds === undefined ? undefined : `${Math.min(ttlSeconds, LONGEST_TTL_SECONDS)}s`;
  return {
    android: json({ collapse_key: sendIdOf(message), priority: priorityOf(content), ttl }),
    data: dataFragment(message, language, key),
  };
}

/** For a browser: the members that its worker reads, as strings (R-RES2). */
function pageFragments(message: Push, language: string, key: MessageKey): Record<string, Fragment> {
  const { duration, requireInteraction, inbox_params: inbox, ...texts } = browserFragments(message, language, key);
  const flags = {
    inbox_params: inbox && jsonString(inbox),
    duration: duration && jsonString(duration),
    requireInteraction: requireInteraction && jsonString(requireInteraction),
  };
  const names = webPushHeaders(message);
  const headers = Object.fromEntries(
    Array.from({ length: names.length / 2 }, (_, i) => [names[2 * i]!, names[2 * i + 1]!]),
  );
  return { webpush: json({ headers }), data: object({ ...texts, ...flags }) };
}

interface FcmRequest {
  readonly message: { readonly data: Readonly<Record<string, string>> };
}

/** Whether a request is within FCM's limit. Only requests near the limit are parsed again. */
export function fitsFcm(body: Buffer, limit: number): boolean {
  if (body.length <= limit) return true;
  if (body.length >= OVERSIZED_BYTES) return false;
  const { data } = (JSON.parse(body.toString('utf8')) as FcmRequest).message;
  const bytes = Object.entries(data).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return bytes <= limit;
}
