import { MessageAccepted, type MessageEvent, type MessagePurged, type OffsetStep } from '@tidings/events';
import { Fault, Platform, pushPlatforms } from '@tidings/kernel';
import { lastRemovalOf } from './inbox.ts';
import { type LocalSchedule, nextDue, noSteps, type StepDue, type Steps, stepsAt } from './local-time.ts';

/** A message between acceptance and its last terminal state (R-S1). It is `PENDING` while its send time is ahead. */
export type Message =
  | (MessageFacts & { readonly status: 'PENDING' })
  | (MessageFacts & { readonly status: 'PROCESSING'; readonly releasedAt: Date })
  | (MessageFacts & { readonly status: 'DONE'; readonly releasedAt: Date; readonly completedAt: Date })
  | (MessageFacts & { readonly status: 'FAIL'; readonly releasedAt: Date; readonly failedAt: Date })
  | (MessageFacts & { readonly status: 'CANCELED'; readonly canceledAt: Date });

export interface MessageFacts {
  readonly code: string;
  readonly id: number;
  readonly account: string;
  readonly createdAt: Date;
  readonly accepted: MessageAccepted;
  /** Number of recipients that have joined since it was accepted; 0 unless it is open (R-F5). */
  readonly joined: number;
  /** The steps released so far; undefined unless it has a local time. */
  readonly steps?: Steps | undefined;
  /** The live activity that it belongs to: a keyed hash (Spec M). */
  readonly activity?: string | undefined;
  /** Time of the deletion of its last application: `accepted` is empty since then. */
  readonly purgedAt?: Date | undefined;
}

/** The claim of a transactionId: the message that it created, and the answer for repeats (R-I10). */
export interface Transaction {
  readonly code: string;
  readonly answer: string;
  readonly at: Date;
}

const DAY_MS = 86_400_000;
/** Retention of a message and of its figures (R-LM3). */
export const KEPT_MS = 365 * DAY_MS;
/** Retention of a hidden message and of all data on it (R-I6, R-LM3). */
export const HIDDEN_KEPT_MS = 7 * DAY_MS;

/** Validity of a transactionId, from acceptance, not extended by repeats (R-I10). */
export const TRANSACTION_MS = 300_000;

/** The value of `Messages` for a message that is not in the history (R-I6). */
export const CODE_NOT_AVAILABLE = 'CODE_NOT_AVAILABLE';

export interface CreateMessage {
  readonly code: string;
  readonly id: number;
  readonly account: string;
  readonly at: Date;
  /** The live activity that it belongs to. @default none */
  readonly activity?: string;
  /** Complete except `answer`; `sendAt` is undefined for a message that is due at once. */
  readonly draft: MessageAccepted;
}

/** A recipient joins the message of its zone and day (R-F5). */
export interface JoinMessage {
  /** Code of the message that the recipient joins. */
  readonly code: string;
  /** The id of the message, if this recipient opens it. */
  readonly id: number;
  readonly account: string;
  readonly at: Date;
  /** The visit that causes it. */
  readonly cause: string;
  /** The content for the recipient, with `openUntil`. */
  readonly draft: MessageAccepted;
}

export interface Created {
  readonly code: string;
  readonly answer: string;
  readonly repeat: boolean;
}

export type MessageEventCase = NonNullable<MessageEvent['event']>;

/** The release of a message as a whole, with its own place in inboxes. */
export const wholeRelease: MessageEventCase = { $case: 'released', value: { inboxOrder: 0n, step: undefined } };

/** The identity of a message in its events. */
export type MessageIdentity = Pick<MessageFacts, 'code' | 'id' | 'account' | 'activity'>;

export const eventOf = (of: MessageIdentity, at: Date, event: MessageEventCase): MessageEvent => ({
  stamp: undefined,
  code: of.code,
  id: BigInt(of.id),
  account: of.account,
  activity: of.activity ?? '',
  at,
  event,
});

/** The answer for a repeat; undefined if the transactionId has no valid message (R-I10). */
export function repeatOf(transaction: Transaction | undefined, at: Date): Created | undefined {
  if (!transaction || at.getTime() >= transaction.at.getTime() + TRANSACTION_MS) return undefined;
  return { code: transaction.code, answer: transaction.answer, repeat: true };
}

/**
 * Accepts a message, and releases it if it is due. If its transactionId has created one already, that one's answer is returned (R-I10).
 */
export function createMessage(
  command: CreateMessage,
  transaction: Transaction | undefined,
): { readonly events: readonly MessageEvent[]; readonly created: Created } {
  const repeat = repeatOf(transaction, command.at);
  if (repeat) return { events: [], created: repeat };
  const answer = command.draft.hidden ? CODE_NOT_AVAILABLE : command.code;
  const { sendAt = command.at } = command.draft;
  const accepted: MessageEventCase = { $case: 'accepted', value: { ...command.draft, sendAt, answer } };
  // A message with a local time is released in steps: which devices are due depends on its audience.
  const isDue = sendAt <= command.at && !command.draft.localTime;
  const released: MessageEventCase[] = isDue ? [wholeRelease] : [];
  return {
    events: [accepted, ...released].map((event) => eventOf(command, command.at, event)),
    created: { code: command.code, answer, repeat: false },
  };
}

/**
 * The platforms that a message can reach, as messages:list returns and filters them: every push platform without named devices and a restriction
 * (R-RES22).
 */
export function reachOf({ reach, audience }: MessageAccepted): readonly number[] {
  if (reach) return reach.platforms;
  const restricted = audience?.platforms ?? [];
  return restricted.length > 0 ? restricted : pushPlatforms;
}

/**
 * Whether messages:list shows a message with the details of push, and with those of e-mail (R-RES22): one of them in any case, also if all that it
 * names are unknown.
 */
export function shownParts(message: MessageAccepted): { readonly push: boolean; readonly email: boolean } {
  const reach = reachOf(message);
  const email = reach.includes(Platform.Email) || message.source === 'EMAIL_API';
  return { email, push: !email || reach.some((platform) => platform !== Platform.Email) };
}

/** The listed message: the content for the first recipient, without the recipient. */
const opened = (draft: MessageAccepted, answer: string): MessageAccepted => ({
  ...draft,
  audience: { target: undefined, platforms: draft.audience?.platforms ?? [] },
  shortLink: '',
  shortLinkTarget: '',
  actionLinks: [],
  answer,
});

/**
 * Adds a recipient to a message; the first one opens it. A late recipient, after the message was closed, still joins and is sent to. A message that
 * was created with all its recipients accepts none.
 * @param hasJoined whether the same cause has added a recipient before
 */
export function joinMessage(
  { cause, at, draft, ...of }: JoinMessage,
  message: Message | undefined,
  hasJoined: boolean,
): readonly MessageEvent[] {
  if (hasJoined || (message && !message.accepted.openUntil)) return [];
  const opening: MessageEventCase[] = message
    ? []
    : [{ $case: 'accepted', value: opened(draft, of.code) }, wholeRelease];
  const joined: MessageEventCase = {
    $case: 'joined',
    value: { bucket: (message?.joined ?? 0) + 1, cause, message: draft },
  };
  return [...opening, joined].map((event) => eventOf(message ?? of, at, event));
}

/**
 * The end of the retention of a message, or of data on it, counted from its send date: a message that is scheduled a year ahead is kept for a year
 * after it (R-LM3). It outlives its entries in inboxes.
 * @param retentionMs retention of the data, unless the message is hidden
 */
export function expiryOf(accepted: MessageAccepted, acceptedAt: Date, retentionMs = KEPT_MS): Date {
  const { hidden, sendAt } = accepted;
  const expiry = Math.max(acceptedAt.getTime(), sendAt?.getTime() ?? 0) + (hidden ? HIDDEN_KEPT_MS : retentionMs);
  return new Date(Math.max(expiry, lastRemovalOf(accepted, acceptedAt)?.getTime() ?? 0));
}

/**
 * Releases a scheduled message that is due; idempotent.
 * @param inboxOrder a new id, which orders it in inboxes among messages that were accepted meanwhile (R-J3)
 */
export const releaseMessage = (message: Message | undefined, at: Date, inboxOrder: bigint): readonly MessageEvent[] =>
  message?.status === 'PENDING' && !message.steps && message.accepted.sendAt! <= at
    ? [eventOf(message, at, { $case: 'released', value: { inboxOrder, step: undefined } })]
    : [];

/** The schedule of a message with a local time that has steps to come; undefined for others. */
export function openSchedule(message: Message): (LocalSchedule & { readonly steps: Steps }) | undefined {
  const { accepted, createdAt, steps } = message;
  const isOpen = message.status === 'PENDING' || message.status === 'PROCESSING';
  if (!isOpen || !accepted.localTime || !steps || steps.areComplete) return undefined;
  return { localTime: accepted.localTime, acceptedAt: createdAt, steps };
}

/** Earliest time at which further devices of a message with a local time are due; undefined if no step is left. */
export function nextStepAt(message: Message): Date | undefined {
  const schedule = openSchedule(message);
  return schedule && nextDue(schedule, schedule.steps.until);
}

/** The release of the devices that are due (R-I9). */
export interface ReleaseStep extends StepDue {
  readonly code: string;
  readonly at: Date;
  /** The number of steps released before: a repeat, and another process, finds more. */
  readonly after: number;
  /** New ids, one for each step: its place in inboxes (R-J3). */
  readonly inboxOrders: readonly [bigint, bigint];
}

/** Releases the due devices of a message with a local time; idempotent. */
export function releaseStep(
  message: Message | undefined,
  { after, inboxOrders, ...due }: ReleaseStep,
): readonly MessageEvent[] {
  const schedule = message && openSchedule(message);
  if (!schedule || schedule.steps.count !== after) return [];
  const steps = stepsAt(schedule, schedule.steps, due);
  return steps.map((step, i) =>
    eventOf(message, due.at, { $case: 'released', value: { inboxOrder: inboxOrders[i]!, step } }),
  );
}

/**
 * Cancels a message before it is released (R-I29). One of a live activity that waits for its turn is not a scheduled one.
 * @throws Fault `argument` if the message is unknown, already released or canceled, or of a live activity
 */
export function cancelMessage(message: Message | undefined, account: string, at: Date): readonly MessageEvent[] {
  if (message?.account !== account) throw Fault.argument('Message not found');
  if (message.status !== 'PENDING' || message.activity) throw Fault.argument('Message cannot be deleted');
  return [eventOf(message, at, { $case: 'canceled', value: {} })];
}

/** Completes a message whose devices all have their terminal state; idempotent. */
export const completeMessage = (message: Message | undefined, at: Date): readonly MessageEvent[] =>
  message?.status === 'PROCESSING' && !openSchedule(message)
    ? [eventOf(message, at, { $case: 'completed', value: {} })]
    : [];

/** The end of a message without remaining recipients (R-S1). */
function abandoned(message: Message): MessageEventCase[] {
  switch (message.status) {
    case 'PENDING':
      return [{ $case: 'canceled', value: {} }];
    case 'PROCESSING':
      return [{ $case: 'failed', value: {} }];
    case 'DONE':
    case 'FAIL':
    case 'CANCELED':
      return [];
  }
}

/** Removes a deleted application from a message, which ends with its last one (R-B2, R-S1); idempotent. */
export function purgeMessage(message: Message | undefined, application: string, at: Date): readonly MessageEvent[] {
  if (!message?.accepted.applications.includes(application)) return [];
  const whole = message.accepted.applications.every((each) => each === application);
  const purged: MessageEventCase = { $case: 'purged', value: { application, whole } };
  return [...(whole ? abandoned(message) : []), purged].map((event) => eventOf(message, at, event));
}

/** The remainder of a purged content: its retention depends on whether the message is hidden. */
export const purgedContent = ({ hidden, answer }: MessageAccepted): MessageAccepted =>
  MessageAccepted.fromPartial({ hidden, answer });

function withoutApplication(message: Message, { application, whole }: MessagePurged, at: Date): Message {
  const { accepted } = message;
  if (whole) return { ...message, accepted: purgedContent(accepted), purgedAt: at };
  const applications = accepted.applications.filter((each) => each !== application);
  return { ...message, accepted: { ...accepted, applications } };
}

function released(message: Message, step: OffsetStep | undefined, at: Date): Message {
  const stepped = step ? { ...message, steps: { count: step.bucket, until: at, areComplete: step.last } } : message;
  return stepped.status === 'PENDING' ? { ...stepped, status: 'PROCESSING', releasedAt: at } : stepped;
}

export function evolveMessage(message: Message | undefined, event: MessageEvent): Message {
  const at = event.at!;
  if (event.event?.$case === 'accepted') {
    const accepted = event.event.value;
    return {
      status: 'PENDING',
      code: event.code,
      id: Number(event.id),
      account: event.account,
      createdAt: at,
      accepted,
      joined: 0,
      ...(event.activity !== '' && { activity: event.activity }),
      ...(accepted.localTime && { steps: noSteps }),
    };
  }
  if (!message) throw new Error(`${event.code}: ${event.event?.$case ?? 'unknown event'} before accepted`);
  const { code, id, account, createdAt, accepted, joined, steps, activity, purgedAt } = message;
  const kept = { ...(steps && { steps }), ...(activity && { activity }), ...(purgedAt && { purgedAt }) };
  const facts = { code, id, account, createdAt, accepted, joined, ...kept };
  switch (event.event?.$case) {
    case 'released':
      return released(message, event.event.value.step, at);
    case 'completed':
      return message.status === 'PROCESSING'
        ? { ...facts, status: 'DONE', releasedAt: message.releasedAt, completedAt: at }
        : message;
    case 'failed':
      return message.status === 'PROCESSING'
        ? { ...facts, status: 'FAIL', releasedAt: message.releasedAt, failedAt: at }
        : message;
    case 'canceled':
      return message.status === 'PENDING' ? { ...facts, status: 'CANCELED', canceledAt: at } : message;
    case 'purged':
      return withoutApplication(message, event.event.value, at);
    case 'joined':
      return { ...message, joined: message.joined + 1 };
    case undefined:
      return message;
  }
}
