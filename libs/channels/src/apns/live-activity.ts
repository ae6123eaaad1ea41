import { type Content, type LiveActivity, LiveActivityEvent } from '@tidings/events';
import {
  compilePayload,
  type Fragment,
  json,
  type MessageKey,
  object,
  rawJson,
  statisticsHash,
  text,
  textFor,
  variablesOf,
} from '@tidings/messaging';
import { ALERT, type ChannelPayload, type Push, type PushKind } from '../channel-definition.ts';
import { localResults, type SendResult } from '../send-results.ts';
import type { ApnsCredential } from './apns-credential.ts';
import { appleContentOf } from './apple-content.ts';

export const LIVE_START = 'liveactivity';
export const LIVE_UPDATE = 'liveactivity-update';

const LIMIT = 4096;

/** The next update waits for this one (R-M3). */
const UPDATE_TTL_SECONDS = 120;
/** An activity lasts as long (R-S6). */
const UPDATE_KEPT_SECONDS = 12 * 3600;

const { LIVE_ACTIVITY_EVENT_START: START, LIVE_ACTIVITY_EVENT_END: END } = LiveActivityEvent;

export function apnsVariantsFor(content: Content | undefined): readonly string[] {
  const { event } = content?.liveActivity ?? {};
  if (event === undefined) return [ALERT];
  return event === START ? [LIVE_START, ALERT] : [LIVE_UPDATE];
}

export const isLive = ({ variant }: PushKind): boolean => variant === LIVE_START || variant === LIVE_UPDATE;

export const apnsTtlSeconds = (kind: PushKind): number | undefined =>
  kind.variant === LIVE_UPDATE ? UPDATE_TTL_SECONDS : appleContentOf(kind).ttlSeconds;

export const apnsKeptSeconds = (kind: PushKind): number | undefined =>
  kind.variant === LIVE_UPDATE ? UPDATE_KEPT_SECONDS : appleContentOf(kind).ttlSeconds;

export const apnsUnsuitable = ({ proof }: ApnsCredential, kind: PushKind): SendResult | undefined =>
  isLive(kind) && proof.by === 'certificate' ? localResults.keyRequired : undefined;

const numbered = (value: bigint | undefined): Fragment | undefined =>
  value === undefined ? undefined : json(Number(value));

const eventNames: Readonly<Partial<Record<LiveActivityEvent, string>>> = { [START]: 'start', [END]: 'end' };

function startFragments(live: LiveActivity, push: Push, language: string): Record<string, Fragment | undefined> {
  if (live.event !== START) return {};
  const content = push.content!;
  const context = { variables: variablesOf(content), tags: content.tags };
  const apple = appleContentOf(push);
  const shown = (value: string | undefined): Fragment | undefined =>
    value === undefined || value === '' ? undefined : text(value, context);
  return {
    'attributes-type': json(live.attributesType),
    attributes: rawJson(live.attributes),
    alert: object({ title: shown(textFor(apple.title, language)), body: shown(textFor(apple.text, language)) }),
  };
}

export function liveActivityPayload(push: Push, language: string, key: MessageKey): ChannelPayload {
  const live = push.content!.liveActivity!;
  const hash = { messageId: push.messageId, campaignId: push.campaignId, code: push.message };
  const aps = object({
    timestamp: json(Number(live.timestamp)),
    event: json(eventNames[live.event] ?? 'update'),
    'content-state': rawJson(live.contentState),
    ...startFragments(live, push, language),
    'stale-date': numbered(live.staleDate),
    'relevance-score': numbered(live.relevanceScore),
    'dismissal-date': numbered(live.dismissalDate),
  });
  return { payload: compilePayload(object({ aps, p: statisticsHash(hash, key) })), limit: LIMIT };
}
