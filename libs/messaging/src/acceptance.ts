import type { LocalTime, MessageAccepted, Preset } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { dayOf } from './inbox.ts';
import { isDueEverywhere } from './local-time.ts';

export type RefusalReason =
  | 'tooFarAhead'
  | 'notAfterSend'
  | 'notFound'
  | 'notEmailPreset'
  | 'notApproved'
  | 'unknownCategory'
  | 'invalidExpression'
  | 'invalidCondition'
  | 'tooManyApplications'
  | 'emailOnlyPlan'
  | 'notRegistered'
  | 'messageTooLarge'
  | 'tooManyTags'
  | 'segmentsTooLarge'
  | 'presetsTooLarge'
  | 'messagesTooLarge'
  | 'activityClosed'
  | 'tooManyWaiting';

export type MessageField =
  | 'request'
  | 'message'
  | 'sendDate'
  | 'inboxDate'
  | 'recipients'
  | 'selection'
  | 'category'
  | 'preset'
  | 'platformPreset'
  | 'campaign'
  | 'liveActivity';

export interface MessageRefusal {
  readonly notification: number;
  readonly reason: RefusalReason;
  readonly field: MessageField;
  readonly entry?: number | undefined;
  readonly detail?: string;
}

export type Refused = Omit<MessageRefusal, 'notification'>;

export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';

  constructor(readonly refusal: MessageRefusal) {
    super(`${refusal.field}: ${refusal.reason}`);
  }
}

export function refuseFirst<Of extends { readonly notification: number }>(
  messages: readonly Of[],
  rule: (message: Of) => Refused | undefined,
): void {
  for (const message of messages) {
    const refused = rule(message);
    if (refused) throw new MessageRefused({ ...refused, notification: message.notification });
  }
}

export const MAX_AHEAD_MS = 365 * 86_400_000;

export const refusedSendDate = ({ sendAt }: MessageAccepted, now: Date): Refused | undefined =>
  sendAt && sendAt.getTime() - now.getTime() > MAX_AHEAD_MS ? { reason: 'tooFarAhead', field: 'sendDate' } : undefined;

export function refusedInboxDate({ sendAt, content }: MessageAccepted, now: Date): Refused | undefined {
  const sendDay = dayOf(sendAt && sendAt > now ? sendAt : now);
  const { removalDay, removals = [] } = content?.inbox ?? {};
  if (removalDay === undefined) return undefined;
  const first = Math.min(removalDay, ...removals.map((each) => each.removalDay));
  return first <= sendDay ? { reason: 'notAfterSend', field: 'inboxDate' } : undefined;
}

export function datesAhead(
  { sendAt, localTime }: MessageAccepted,
  now: Date,
): { readonly sendAt?: Date; readonly localTime?: LocalTime } {
  if (localTime) return isDueEverywhere(localTime, now) ? {} : { sendAt: localTime.wallAt!, localTime };
  return sendAt && sendAt > now ? { sendAt } : {};
}

export interface PresetToUse {
  readonly preset?: Preset | undefined;
  readonly unapproved: boolean;
}

export function refusedEmailPreset({ preset, unapproved }: PresetToUse): Refused['reason'] | undefined {
  if (!preset?.platforms.includes(Platform.Email)) return 'notEmailPreset';
  return unapproved ? 'notApproved' : undefined;
}

/** Stored as one document; each batch carries the content. */
const MESSAGE_BYTES = 2 * 1024 * 1024;
const REQUEST_BYTES = 32 * 1024 * 1024;
export const MAX_TAGS = 256;
export const MAX_SIBLING_APPLICATIONS = 20;

export interface MessageSize {
  readonly notification: number;
  readonly bytes: number;
  readonly tags: number;
}

export function refusedSize({ bytes, tags }: MessageSize): Refused | undefined {
  if (bytes > MESSAGE_BYTES) return { reason: 'messageTooLarge', field: 'message' };
  return tags > MAX_TAGS ? { reason: 'tooManyTags', field: 'message' } : undefined;
}

export function refuseTotal(sizes: readonly MessageSize[]): void {
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= REQUEST_BYTES) return;
  throw new MessageRefused({ notification: 0, reason: 'messagesTooLarge', field: 'request' });
}
