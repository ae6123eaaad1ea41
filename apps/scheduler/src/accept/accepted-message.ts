import type { Audience, MessageAccepted, Preset, Reach } from '@tidings/events';
import { pushPlatforms } from '@tidings/kernel';
import { datesAhead } from '@tidings/messaging';
import type { MessageRequest, ResolvedAudience } from '@tidings/rpc';
import { messageContent, type MessageContent, type Presets } from './message-content.ts';

export interface Resolved extends Presets {
  readonly audience: ResolvedAudience;
  readonly campaignId: bigint;
}

export interface Circumstances {
  readonly applications: readonly string[];
  readonly isDebugged: boolean;
  readonly now: Date;
}

export interface CompleteMessage extends Pick<MessageContent, 'linkToShorten' | 'actionsToShorten'> {
  readonly accepted: MessageAccepted;
}

/** Named devices and contacts are reached on any platform, others on push platforms (R-I5, R-K4). */
function platformsOf({ platforms, recipients }: MessageRequest, preset: Preset | undefined): number[] {
  const restricted = platforms?.platforms ?? preset?.platforms;
  if (restricted) return [...restricted];
  const kind = recipients?.recipients?.$case;
  return kind === 'devices' || kind === 'to' ? [] : [...pushPlatforms];
}

const withinCircle = (circle: MessageRequest['circle'], target: Audience['target']): Audience['target'] =>
  circle && target?.$case === 'selection' ? { $case: 'selection', value: { ...target.value, circle } } : target;

function resolvedReach({ platforms: own }: ResolvedAudience, { target, platforms }: Audience): Reach | undefined {
  if (target?.$case !== 'named') return undefined;
  return { platforms: platforms.length === 0 ? own : own.filter((code) => platforms.includes(code)) };
}

export function acceptedMessage(
  request: MessageRequest,
  { audience: resolved, campaignId, ...presets }: Resolved,
  { applications, isDebugged, now }: Circumstances,
): CompleteMessage {
  const message = request.message!;
  const { sendAt, localTime } = datesAhead(message, now);
  const audience: Audience = {
    target: withinCircle(request.circle, resolved.audience?.target),
    platforms: platformsOf(request, presets.preset),
  };
  const { content, ...links } = messageContent(request, presets);
  const accepted: MessageAccepted = {
    ...message,
    applications: [...applications],
    sendAt,
    localTime,
    hidden: message.hidden && !isDebugged && !sendAt,
    campaignId,
    audience,
    content,
    filterName: resolved.filterName,
    filterCode: resolved.filterCode,
    reach: resolvedReach(resolved, audience),
    sendRate: request.ignoresPresetRate ? message.sendRate : (presets.preset?.sendRate ?? 0),
  };
  return { accepted, ...links };
}
