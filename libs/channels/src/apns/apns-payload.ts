import {
  badge,
  compilePayload,
  fileUrl,
  type Fragment,
  json,
  type MessageKey,
  object,
  rawJson,
  statisticsHash,
  text,
  textFor,
  type TemplateContext,
  trimmable,
  variablesOf,
} from '@tidings/messaging';
import { absoluteBadge, relativeBadge } from '../badge.ts';
import { carries } from '../carried-content.ts';
import type { ChannelPayload, Push, PushKind } from '../channel-definition.ts';
import { type JsonObject, parseObject } from '../exact-json.ts';
import { given } from '../given-text.ts';
import { inboxFragments } from '../inbox-fragments.ts';
import { inLanguage } from '../locale-settings.ts';
import { openActionFragments } from '../open-action.ts';
import { type AppleContent, appleContentOf } from './apple-content.ts';
import { isLive } from './live-activity.ts';

export type ApnsPushType = 'alert' | 'background' | 'voip' | 'liveactivity';

const LIMIT = 4096;
const VOIP_LIMIT = 5120;
const DEFAULT_SOUND = 'default';

interface Alert {
  readonly title: string | undefined;
  readonly subtitle: string | undefined;
  readonly body: string | undefined;
}

const alertOf = ({ title, subtitle, text: body }: AppleContent, language: string): Alert => ({
  title: textFor(title, language),
  subtitle: textFor(subtitle, language),
  body: textFor(body, language),
});

const isEmpty = ({ title, subtitle, body }: Alert): boolean => !given(title) && !given(subtitle) && !given(body);

export function apnsHasContent(kind: PushKind, language: string): boolean {
  const apple = appleContentOf(kind);
  if (isLive(kind) || !isEmpty(alertOf(apple, language))) return true;
  if (apple.website) return false;
  return apple.voip === true || apple.silent === true || carries(kind.content!, apple);
}

function ownApsOf({ rootParams }: AppleContent): JsonObject {
  const { aps } = parseObject(rootParams);
  return typeof aps === 'object' && aps !== null && !Array.isArray(aps) ? (aps as JsonObject) : {};
}

/** APNs accepts no text, sound or badge in background pushes. */
function isBackground(apple: AppleContent, alert: Alert): boolean {
  if (apple.silent) return true;
  const own = ownApsOf(apple);
  if ([own['alert'], own['sound'], own['badge']].some((shown) => shown !== undefined && shown !== null)) return false;
  return isEmpty(alert) && apple.badge === undefined && !given(soundOf(apple, alert));
}

export function shownBadge(kind: PushKind): string | undefined {
  if (isLive(kind)) return undefined;
  const apple = appleContentOf(kind);
  const { badge: root } = ownApsOf(apple);
  if (root !== undefined) return absoluteBadge(root);
  return apple.silent && !apple.voip ? undefined : apple.badge;
}

/** An absent sound is the default one, an empty one is none. */
function soundOf({ soundOff, sound }: AppleContent, alert: Alert): string | undefined {
  if (soundOff) return undefined;
  return sound ?? (isEmpty(alert) ? undefined : DEFAULT_SOUND);
}

export function apnsPushType(kind: PushKind, language: string): ApnsPushType {
  if (isLive(kind)) return 'liveactivity';
  const apple = appleContentOf(kind);
  if (apple.voip) return 'voip';
  if (apple.website) return 'alert';
  return isBackground(apple, alertOf(apple, language)) ? 'background' : 'alert';
}

function alertFragment(alert: Alert, context: TemplateContext, trim: boolean): Fragment | undefined {
  if (isEmpty(alert)) return undefined;
  const part = (value: string | undefined): Fragment | undefined => (given(value) ? text(value, context) : undefined);
  const whole = part(alert.body);
  const body = whole && trim ? trimmable(whole) : whole;
  const title = part(alert.title);
  const subtitle = part(alert.subtitle);
  return title || subtitle ? object({ title, subtitle, body }) : body;
}

function soundFragment(apple: AppleContent, alert: Alert): Fragment | undefined {
  const name = soundOf(apple, alert);
  if (apple.soundOff || apple.sound === '') return undefined;
  if (apple.critical) return json({ critical: 1, name: given(name) ? name : DEFAULT_SOUND, volume: 1 });
  return given(name) ? json(name) : undefined;
}

function badgeFragment(value: string | undefined): Fragment | undefined {
  if (value === undefined) return undefined;
  return relativeBadge(value) === undefined ? json(Number(value)) : badge;
}

const fragments = (fields: JsonObject): Record<string, Fragment> =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, json(value)]));

const named = (value: string | undefined): Fragment | undefined => (given(value) ? json(value) : undefined);

function shownFragments(
  apple: AppleContent,
  alert: Alert,
  context: TemplateContext,
): Record<string, Fragment | undefined> {
  if (!apple.voip && isBackground(apple, alert)) return { 'content-available': json(1) };
  return {
    alert: alertFragment(alert, context, apple.trim ?? false),
    badge: badgeFragment(apple.badge),
    sound: soundFragment(apple, alert),
  };
}

function apsFragment(apple: AppleContent, alert: Alert, context: TemplateContext, extra: JsonObject): Fragment {
  return object({
    ...shownFragments(apple, alert, context),
    category: named(apple.categoryCustom) ?? named(apple.category),
    'thread-id': named(apple.threadId),
    'interruption-level': named(apple.interruptionLevel),
    'mutable-content': given(apple.attachment) ? json(1) : undefined,
    ...fragments(extra),
  });
}

export function apnsPayload(push: Push, language: string, key: MessageKey): ChannelPayload {
  const message = inLanguage(push, language);
  const content = message.content!;
  const apple = appleContentOf(message);
  const context = { variables: variablesOf(content), tags: content.tags };
  const alert = alertOf(apple, language);
  const { aps: _own, ...root } = parseObject(apple.rootParams);
  const hash = { messageId: message.messageId, campaignId: message.campaignId, code: message.message };
  const whole = object({
    aps: apsFragment(apple, alert, context, ownApsOf(apple)),
    pw_msg: json('1'),
    u: content.data === undefined ? undefined : json(content.data),
    ...openActionFragments(apple.openAction ?? content, context, rawJson),
    md: content.metaData === undefined ? undefined : rawJson(content.metaData),
    attachment: given(apple.attachment) ? fileUrl(apple.attachment, context) : undefined,
    ...inboxFragments(message, language, context),
    ...fragments(root),
    p: statisticsHash(hash, key),
  });
  return { payload: compilePayload(whole), limit: apple.voip ? VOIP_LIMIT : LIMIT };
}
