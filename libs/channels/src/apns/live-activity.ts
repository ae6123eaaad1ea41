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

/** The variant of pushes that start a live activity, to the push-to-start token of a device. */
export const LIVE_START = 'liveactivity';
/** The variant of pushes that update or end a live activity, to its token on a device. */
export const LIVE_UPDATE = 'liveactivity-update';

const LIMIT = 4096;

/**
 * Seconds after its release in which an update is tried. The next one waits for it (R-M3), so that a device that is not reached holds up the others
 * no longer than that.
 */
const UPDATE_TTL_SECONDS = 120;
/** Seconds for which APNs keeps an update for a device that is away: as long as an activity lasts (R-S6). */
const UPDATE_KEPT_SECONDS = 12 * 3600;

const { LIVE_ACTIVITY_EVENT_START: START, LIVE_ACTIVITY_EVENT_END: END } = LiveActivityEvent;

/** Names of the variants for a content: devices that cannot start a live activity get an ordinary push (R-M2). */
export function apnsVariantsFor(content: Content | undefined): readonly string[] {
  const { event } = content?.liveActivity ?? {};
  if (event === undefined) return [ALERT];
  return event === START ? [LIVE_START, ALERT] : [LIVE_UPDATE];
}

/** Whether these pushes are for a live activity. */
export const isLive = ({ variant }: PushKind): boolean => variant === LIVE_START || variant === LIVE_UPDATE;

/** Seconds in which a push is of use; see `ChannelDefinition.ttlSecondsOf`. */
export const apnsTtlSeconds = (kind: PushKind): number | undefined =>
  kind.variant === LIVE_UPDATE ? UPDATE_TTL_SECONDS : appleContentOf(kind).ttlSeconds;

/** Seconds for which APNs keeps a push for a device that is away; undefined: APNs decides. */
export const apnsKeptSeconds = (kind: PushKind): number | undefined =>
  kind.variant === LIVE_UPDATE ? UPDATE_KEPT_SECONDS : appleContentOf(kind).ttlSeconds;

/** The result of pushes that APNs would not accept with this credential: live activities need a key that signs tokens (R-M2). */
export const apnsUnsuitable = ({ proof }: ApnsCredential, kind: PushKind): SendResult | undefined =>
  isLive(kind) && proof.by === 'certificate' ? localResults.keyRequired : undefined;

const numbered = (value: bigint | undefined): Fragment | undefined =>
  value === undefined ? undefined : json(Number(value));

const eventNames: Readonly<Partial<Record<LiveActivityEvent, string>>> = { [START]: 'start', [END]: 'end' };

/** The fields of a start alone: the kind of the activity, and the alert that the system shows with it. */
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

/** The payload of a push of a live activity in a language (Spec M, R-M3, R-M4). @param key the message's, in the application of the devices */
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
