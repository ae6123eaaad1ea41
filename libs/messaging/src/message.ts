import { MessageAccepted, type MessageEvent, type MessagePurged, type OffsetStep } from '@tidings/events';
import { Fault, Platform, pushPlatforms } from '@tidings/kernel';
import { lastRemovalOf } from './inbox.ts';
import { type LocalSchedule, nextDue, noSteps, type StepDue, type Steps, stepsAt } from './local-time.ts';

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
  readonly joined: number;
  readonly steps?: Steps | undefined;
  readonly activity?: string | undefined;
  readonly purgedAt?: Date | undefined;
  readonly stoppedAt?: Date | undefined;
}

export interface Transaction {
  readonly code: string;
  readonly answer: string;
  readonly at: Date;
}

const DAY_MS = 86_400_000;
export const KEPT_MS = 365 * DAY_MS;
export const HIDDEN_KEPT_MS = 7 * DAY_MS;

export const TRANSACTION_MS = 300_000;

export const CODE_NOT_AVAILABLE = 'CODE_NOT_AVAILABLE';

export interface CreateMessage {
  readonly code: string;
  readonly id: number;
  readonly account: string;
  readonly at: Date;
  readonly activity?: string;
  readonly draft: MessageAccepted;
}

export interface JoinMessage {
  readonly code: string;
  readonly id: number;
  readonly account: string;
  readonly at: Date;
  readonly cause: string;
  readonly draft: MessageAccepted;
}

export interface Created {
  readonly code: string;
  readonly answer: string;
  readonly repeat: boolean;
}

export type MessageEventCase = NonNullable<MessageEvent['event']>;

export const wholeRelease: MessageEventCase = { $case: 'released', value: { inboxOrder: 0n, step: undefined } };

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

export function repeatOf(transaction: Transaction | undefined, at: Date): Created | undefined {
  if (!transaction || at.getTime() >= transaction.at.getTime() + TRANSACTION_MS) return undefined;
  return { code: transaction.code, answer: transaction.answer, repeat: true };
}

/** A repeat gets the first answer (R-I10). */
export function createMessage(
  command: CreateMessage,
  transaction: Transaction | undefined,
): { readonly events: readonly MessageEvent[]; readonly created: Created } {
  const repeat = repeatOf(transaction, command.at);
  if (repeat) return { events: [], created: repeat };
  const answer = command.draft.hidden ? CODE_NOT_AVAILABLE : command.code;
  const { sendAt = command.at } = command.draft;
  const accepted: MessageEventCase = { $case: 'accepted', value: { ...command.draft, sendAt, answer } };
  // A message with a local time is released in steps.
  const isDue = sendAt <= command.at && !command.draft.localTime;
  const released: MessageEventCase[] = isDue ? [wholeRelease] : [];
  return {
    events: [accepted, ...released].map((event) => eventOf(command, command.at, event)),
    created: { code: command.code, answer, repeat: false },
  };
}

export function reachablePlatforms({ reach, audience }: MessageAccepted): readonly number[] {
  if (reach) return reach.platforms;
  const restricted = audience?.platforms ?? [];
  return restricted.length > 0 ? restricted : pushPlatforms;
}

export function shownParts(message: MessageAccepted): { readonly push: boolean; readonly email: boolean } {
  const platforms = reachablePlatforms(message);
  const email = platforms.includes(Platform.Email) || message.source === 'EMAIL_API';
  return { email, push: !email || platforms.some((platform) => platform !== Platform.Email) };
}

const openingContent = (draft: MessageAccepted, answer: string): MessageAccepted => ({
  ...draft,
  audience: { target: undefined, platforms: draft.audience?.platforms ?? [] },
  shortLink: '',
  shortLinkTarget: '',
  actionLinks: [],
  answer,
});

/** Late recipients still join. @param hasJoined the same cause has added a recipient */
export function joinMessage(
  { cause, at, draft, ...of }: JoinMessage,
  message: Message | undefined,
  hasJoined: boolean,
): readonly MessageEvent[] {
  if (hasJoined || message?.stoppedAt || (message && !message.accepted.openUntil)) return [];
  const opening: MessageEventCase[] = message
    ? []
    : [{ $case: 'accepted', value: openingContent(draft, of.code) }, wholeRelease];
  const joined: MessageEventCase = {
    $case: 'joined',
    value: { bucket: (message?.joined ?? 0) + 1, cause, message: draft },
  };
  return [...opening, joined].map((event) => eventOf(message ?? of, at, event));
}

/** Counts from the send date (R-LM3). */
export function expiryOf(accepted: MessageAccepted, acceptedAt: Date, retentionMs = KEPT_MS): Date {
  const { hidden, sendAt } = accepted;
  const expiry = Math.max(acceptedAt.getTime(), sendAt?.getTime() ?? 0) + (hidden ? HIDDEN_KEPT_MS : retentionMs);
  return new Date(Math.max(expiry, lastRemovalOf(accepted, acceptedAt)?.getTime() ?? 0));
}

/** @param inboxOrder a new id: its place in inboxes (R-J3) */
export const releaseMessage = (message: Message | undefined, at: Date, inboxOrder: bigint): readonly MessageEvent[] =>
  message?.status === 'PENDING' && !message.steps && message.accepted.sendAt! <= at
    ? [eventOf(message, at, { $case: 'released', value: { inboxOrder, step: undefined } })]
    : [];

export function openSchedule(message: Message): (LocalSchedule & { readonly steps: Steps }) | undefined {
  const { accepted, createdAt, steps } = message;
  const isOpen = message.status === 'PENDING' || message.status === 'PROCESSING';
  if (!isOpen || !accepted.localTime || !steps || steps.areComplete) return undefined;
  return { localTime: accepted.localTime, acceptedAt: createdAt, steps };
}

export function nextStepAt(message: Message): Date | undefined {
  const schedule = openSchedule(message);
  return schedule && nextDue(schedule, schedule.steps.until);
}

export interface ReleaseStep extends StepDue {
  readonly code: string;
  readonly at: Date;
  readonly after: number;
  readonly inboxOrders: readonly [bigint, bigint];
}

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

/** @throws Fault `argument` unless scheduled (R-I29) */
export function cancelMessage(message: Message | undefined, account: string, at: Date): readonly MessageEvent[] {
  if (message?.account !== account) throw Fault.argument('Message not found');
  if (message.status !== 'PENDING' || message.activity) throw Fault.argument('Message cannot be deleted');
  return [eventOf(message, at, { $case: 'canceled', value: {} })];
}

const releaseRest = (message: Message, at: Date, inboxOrder: bigint): readonly MessageEvent[] => {
  const schedule = openSchedule(message);
  const steps = schedule ? stepsAt(schedule, schedule.steps, { at, areDue: false, isLast: true }) : [];
  return steps.map((step) => eventOf(message, at, { $case: 'released', value: { inboxOrder, step } }));
};

export interface StopMessage {
  readonly at: Date;
  readonly inboxOrder: bigint;
}

/** Idempotent (R-S9). @throws Fault `notFound` */
export function stopMessage(message: Message | undefined, { at, inboxOrder }: StopMessage): readonly MessageEvent[] {
  if (!message) throw Fault.notFound('Message not found');
  if (message.status === 'PENDING') return [eventOf(message, at, { $case: 'canceled', value: {} })];
  if (message.status !== 'PROCESSING' || message.stoppedAt) return [];
  // The devices whose local time has not come end like the others.
  return [...releaseRest(message, at, inboxOrder), eventOf(message, at, { $case: 'stopped', value: {} })];
}

export const completeMessage = (message: Message | undefined, at: Date): readonly MessageEvent[] =>
  message?.status === 'PROCESSING' && !openSchedule(message)
    ? [eventOf(message, at, { $case: 'completed', value: {} })]
    : [];

function closingEvents(message: Message): MessageEventCase[] {
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

/** Idempotent (R-B2, R-S1). */
export function purgeMessage(message: Message | undefined, application: string, at: Date): readonly MessageEvent[] {
  if (!message?.accepted.applications.includes(application)) return [];
  const whole = message.accepted.applications.every((each) => each === application);
  const purged: MessageEventCase = { $case: 'purged', value: { application, whole } };
  return [...(whole ? closingEvents(message) : []), purged].map((event) => eventOf(message, at, event));
}

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
  const { code, id, account, createdAt, accepted, joined, steps, activity, purgedAt, stoppedAt } = message;
  const optional = {
    ...(steps && { steps }),
    ...(activity && { activity }),
    ...(purgedAt && { purgedAt }),
    ...(stoppedAt && { stoppedAt }),
  };
  const facts = { code, id, account, createdAt, accepted, joined, ...optional };
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
    case 'stopped':
      return message.stoppedAt ? message : { ...message, stoppedAt: at };
    case undefined:
      return message;
  }
}
