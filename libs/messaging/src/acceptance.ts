import type { LocalTime, MessageAccepted, Preset } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { dayOf } from './inbox.ts';
import { isDueEverywhere } from './local-time.ts';

/** Why a message is not accepted. */
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

/** The part of a message that is refused; `request` is all of its messages together. */
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
  /** Position of the message in its request. */
  readonly notification: number;
  readonly reason: RefusalReason;
  readonly field: MessageField;
  /** Position within the field, of a list. */
  readonly entry?: number | undefined;
  /** The reason in words, of an expression or a condition. */
  readonly detail?: string;
}

/** A refusal of a message whose position is known to the caller. */
export type Refused = Omit<MessageRefusal, 'notification'>;

/** Ends the acceptance of a request: none of its messages is accepted (R-I1). */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';

  constructor(readonly refusal: MessageRefusal) {
    super(`${refusal.field}: ${refusal.reason}`);
  }
}

/** @throws MessageRefused for the first message that the rule refuses */
export function refuseFirst<Of extends { readonly notification: number }>(
  messages: readonly Of[],
  rule: (message: Of) => Refused | undefined,
): void {
  for (const message of messages) {
    const refused = rule(message);
    if (refused) throw new MessageRefused({ ...refused, notification: message.notification });
  }
}

/** The most that a message is scheduled ahead (R-I7). */
export const MAX_AHEAD_MS = 365 * 86_400_000;

export const refusedSendDate = ({ sendAt }: MessageAccepted, now: Date): Refused | undefined =>
  sendAt && sendAt.getTime() - now.getTime() > MAX_AHEAD_MS ? { reason: 'tooFarAhead', field: 'sendDate' } : undefined;

/** Refuses an entry that would leave inboxes before it is saved (R-I21). */
export function refusedInboxDate({ sendAt, content }: MessageAccepted, now: Date): Refused | undefined {
  const sendDay = dayOf(sendAt && sendAt > now ? sendAt : now);
  const { removalDay, removals = [] } = content?.inbox ?? {};
  if (removalDay === undefined) return undefined;
  const first = Math.min(removalDay, ...removals.map((each) => each.removalDay));
  return first <= sendDay ? { reason: 'notAfterSend', field: 'inboxDate' } : undefined;
}

/** The dates of a message that is not due at once; none for one that is: its date has passed, or on the clocks of all recipients (R-I7, R-I9, R-O1). */
export function datesAhead(
  { sendAt, localTime }: MessageAccepted,
  now: Date,
): { readonly sendAt?: Date; readonly localTime?: LocalTime } {
  if (localTime) return isDueEverywhere(localTime, now) ? {} : { sendAt: localTime.wallAt!, localTime };
  return sendAt && sendAt > now ? { sendAt } : {};
}

/** A preset, and whether an operator has withdrawn its approval. */
export interface PresetToUse {
  readonly preset?: Preset | undefined;
  readonly unapproved: boolean;
}

/** Refuses a preset of an e-mail that is not one of e-mail, or not approved (R-E7). */
export function refusedEmailPreset({ preset, unapproved }: PresetToUse): Refused['reason'] | undefined {
  if (!preset?.platforms.includes(Platform.Email)) return 'notEmailPreset';
  return unapproved ? 'notApproved' : undefined;
}

/** Maximum size of a message with its preset and its audience: it is stored as one document, and each of its batches carries the content. */
const MESSAGE_BYTES = 2 * 1024 * 1024;
/** Maximum total size of a request's messages. */
const REQUEST_BYTES = 32 * 1024 * 1024;
/** Each device in a batch has a slot for every tag. */
export const MAX_TAGS = 256;
/** Maximum number of other applications whose tags select devices by hwid: each is read for every device in question (R-O5). */
export const MAX_SIBLING_APPLICATIONS = 20;

export interface MessageSize {
  /** Position of the message in its request. */
  readonly notification: number;
  readonly bytes: number;
  readonly tags: number;
}

export function refusedSize({ bytes, tags }: MessageSize): Refused | undefined {
  if (bytes > MESSAGE_BYTES) return { reason: 'messageTooLarge', field: 'message' };
  return tags > MAX_TAGS ? { reason: 'tooManyTags', field: 'message' } : undefined;
}

/** @throws MessageRefused if the messages of a request could only be accepted in part */
export function refuseTotal(sizes: readonly MessageSize[]): void {
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= REQUEST_BYTES) return;
  throw new MessageRefused({ notification: 0, reason: 'messagesTooLarge', field: 'request' });
}
