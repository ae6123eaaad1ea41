import type { Content, IosContent } from '@tidings/events';
import {
  badge,
  compilePayload,
  type Fragment,
  json,
  type MessageKey,
  object,
  statisticsHash,
  text,
  textFor,
  type TemplateContext,
  trimmable,
  url,
  variablesOf,
} from '@tidings/messaging';
import { relativeBadge } from '../badge.ts';
import type { ChannelPayload, Push } from '../channel-definition.ts';
import { type JsonObject, parseObject } from '../exact-json.ts';
import { openActionFragments } from '../open-action.ts';

/** `apns-push-type`. */
export type ApnsPushType = 'alert' | 'background' | 'voip';

const LIMIT = 4096;
const VOIP_LIMIT = 5120;
const DEFAULT_SOUND = 'default';

const given = (value: string | undefined): value is string => value !== undefined && value !== '';

interface Alert {
  readonly title: string | undefined;
  readonly subtitle: string | undefined;
  readonly body: string | undefined;
}

/** The texts for a language, each selected separately; a field of the platform overrides the common one (R-I14, R-I15). */
function alertOf({ text: common, title, subtitle, ios }: Content, language: string): Alert {
  return {
    title: textFor(ios?.title ?? title, language),
    subtitle: textFor(ios?.subtitle ?? subtitle, language),
    body: textFor(ios?.text ?? common, language),
  };
}

const isEmpty = ({ title, subtitle, body }: Alert): boolean => !given(title) && !given(subtitle) && !given(body);

/** A push without text, sound and badge may only wake the app. */
function isBackground({ ios }: Content, alert: Alert): boolean {
  if (ios?.silent) return true;
  return isEmpty(alert) && ios?.badge === undefined && !given(soundOf(ios, alert));
}

/** An absent sound is the default one, an empty one is none; a push without text has no sound unless requested. */
function soundOf(ios: IosContent | undefined, alert: Alert): string | undefined {
  if (ios?.soundOff) return undefined;
  return ios?.sound ?? (isEmpty(alert) ? undefined : DEFAULT_SOUND);
}

/** The push type of a batch, the same for all its languages. */
export function apnsPushType(content: Content): ApnsPushType {
  if (content.voip) return 'voip';
  return isBackground(content, alertOf(content, '')) ? 'background' : 'alert';
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

function soundFragment(ios: IosContent | undefined, alert: Alert): Fragment | undefined {
  const name = soundOf(ios, alert);
  if (ios?.critical) return json({ critical: 1, name: given(name) ? name : DEFAULT_SOUND, volume: 1 });
  return given(name) ? json(name) : undefined;
}

/** The values of relative badges are computed per device; the sign identifies them. */
function badgeFragment(value: string | undefined): Fragment | undefined {
  if (value === undefined) return undefined;
  return relativeBadge(value) === undefined ? json(Number(value)) : badge;
}

const fragments = (fields: JsonObject): Record<string, Fragment> =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, json(value)]));

const named = (value: string | undefined): Fragment | undefined => (given(value) ? json(value) : undefined);

/** Text, sound and badge; a background push must have none of these. */
function shownFragments(
  content: Content,
  alert: Alert,
  context: TemplateContext,
): Record<string, Fragment | undefined> {
  const { ios, voip } = content;
  if (!voip && isBackground(content, alert)) return { 'content-available': json(1) };
  return {
    alert: alertFragment(alert, context, ios?.trim ?? false),
    badge: badgeFragment(ios?.badge),
    sound: soundFragment(ios, alert),
  };
}

function apsFragment(content: Content, alert: Alert, context: TemplateContext, extra: JsonObject): Fragment {
  const { ios } = content;
  return object({
    ...shownFragments(content, alert, context),
    category: named(ios?.categoryCustom) ?? named(ios?.category),
    'thread-id': named(ios?.threadId),
    'interruption-level': named(ios?.interruptionLevel),
    'mutable-content': given(ios?.attachment) ? json(1) : undefined,
    ...fragments(extra),
  });
}

/**
 * The payload of a message in a language (Spec I). Root params are merged at the root and, below `aps`, into `aps`; they take precedence, but not
 * over the statistics hash.
 * @param key the message's, in the application of the devices
 */
export function apnsPayload(message: Push, language: string, key: MessageKey): ChannelPayload {
  const content = message.content!;
  const { ios } = content;
  const context = { variables: variablesOf(content), tags: content.tags };
  const alert = alertOf(content, language);
  const { aps: extra, ...root } = parseObject(ios?.rootParams);
  const extraAps = typeof extra === 'object' && extra !== null && !Array.isArray(extra) ? (extra as JsonObject) : {};
  const hash = { messageId: message.messageId, campaignId: message.campaignId, code: message.message };
  const whole = object({
    aps: apsFragment(content, alert, context, extraAps),
    pw_msg: json('1'),
    u: content.data === undefined ? undefined : json(content.data),
    ...openActionFragments(content, context, (page) => page),
    attachment: given(ios?.attachment) ? url(ios.attachment, context) : undefined,
    ...fragments(root),
    p: statisticsHash(hash, key),
  });
  return { payload: compilePayload(whole), limit: content.voip ? VOIP_LIMIT : LIMIT };
}
