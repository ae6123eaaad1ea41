import { LiveActivityEvent, type MessageAccepted, type MessageEvent } from '@tidings/events';
import type { RefusalReason } from './acceptance.ts';
import {
  completeMessage,
  type Created,
  type CreateMessage,
  eventOf,
  type Message,
  type MessageEventCase,
  wholeRelease,
} from './message.ts';

/** A live activity of an application, by the caller's id (R-S6). */
export type LiveActivity =
  /** `startedAt`: the last start; undefined if only devices have started it, on their own. */
  | (ActivityFacts & { readonly status: 'open'; readonly startedAt: Date | undefined })
  | (ActivityFacts & { readonly status: 'closed' });

interface ActivityFacts {
  /** "" if its messages are redacted. */
  readonly application: string;
  /** Time of its last message. */
  readonly at: Date;
  /** Unix seconds in its last message (R-M3). */
  readonly timestamp: number;
  /** Code of the update that is being sent, or of the end. */
  readonly sending: string | undefined;
  /** Messages of the activity that are not released yet, in the order of their acceptance. */
  readonly waiting: readonly WaitingMessage[];
}

/** A message of a live activity that is released when the earlier ones are sent. */
export interface WaitingMessage {
  readonly code: string;
  readonly id: number;
  readonly event: LiveActivityEvent;
  readonly timestamp: number;
}

/** A message of a live activity; its draft is due at once. */
export interface CreateInActivity extends CreateMessage {
  readonly activity: string;
  /** A device has a token for the activity (R-M2). */
  readonly isKnown: boolean;
}

/** A message that its live activity does not take. */
export interface RefusedCreation {
  readonly refusal: RefusalReason;
}

/** A live activity is closed this long after its last start (R-S6). */
const OPEN_MS = 12 * 3_600_000;

/** Maximum number of messages of one activity that are not released: starts and ends are never replaced. */
export const MAX_WAITING = 100;

const {
  LIVE_ACTIVITY_EVENT_START: START,
  LIVE_ACTIVITY_EVENT_UPDATE: UPDATE,
  LIVE_ACTIVITY_EVENT_END: END,
} = LiveActivityEvent;

const isClosed = (activity: LiveActivity, at: Date): boolean =>
  activity.status === 'closed' ||
  (activity.startedAt !== undefined && at.getTime() >= activity.startedAt.getTime() + OPEN_MS);

/** Refuses updates and ends of an unknown activity, and of a closed one (R-S6, R-M2). */
function refusalOf(
  { draft, isKnown, at }: CreateInActivity,
  activity: LiveActivity | undefined,
): RefusalReason | undefined {
  const isStart = draft.content!.liveActivity!.event === START;
  if (!isStart && !activity && !isKnown) return 'notFound';
  if (!isStart && activity && isClosed(activity, at)) return 'activityClosed';
  return (activity?.waiting.length ?? 0) >= MAX_WAITING ? 'tooManyWaiting' : undefined;
}

/** The waiting update that a later update or the end replaces (R-M3). */
function replacedBy(event: LiveActivityEvent, activity: LiveActivity | undefined): WaitingMessage | undefined {
  const last = activity?.waiting.at(-1);
  return event !== START && last?.event === UPDATE ? last : undefined;
}

/** Unix seconds, higher than in everything that was sent: a replaced message leaves its own. */
function timestampOf(at: Date, activity: LiveActivity | undefined, replaced: WaitingMessage | undefined): number {
  const now = Math.floor(at.getTime() / 1000);
  return Math.max(now, replaced ? replaced.timestamp : (activity?.timestamp ?? 0) + 1);
}

const withTimestamp = (draft: MessageAccepted, timestamp: number, more: Partial<MessageAccepted>): MessageAccepted => ({
  ...draft,
  content: {
    ...draft.content!,
    liveActivity: { ...draft.content!.liveActivity!, timestamp: BigInt(timestamp) },
  },
  ...more,
});

/**
 * The waiting messages that are due: in order, up to the first update, or end, which the others wait for. A start waits for those before it, and
 * holds up none.
 */
function due({ sending, waiting }: LiveActivity): readonly WaitingMessage[] {
  if (sending !== undefined) return [];
  const first = waiting.findIndex(({ event }) => event !== START);
  return first < 0 ? waiting : waiting.slice(0, first + 1);
}

const applied = (activity: LiveActivity | undefined, events: readonly MessageEvent[]): LiveActivity | undefined =>
  events.reduce<LiveActivity | undefined>(evolveActivity, activity);

/** The events, and the releases of what is due after them. */
function withReleases(
  of: { readonly account: string; readonly activity: string },
  activity: LiveActivity | undefined,
  events: readonly MessageEvent[],
  at: Date,
): readonly MessageEvent[] {
  const after = applied(activity, events);
  const released = after ? due(after).map((each) => eventOf({ ...of, ...each }, at, wholeRelease)) : [];
  return [...events, ...released];
}

/**
 * Accepts a message of a live activity, and releases it unless an earlier update is still being sent: updates of an activity are sent one after the
 * other, so that none overtakes another (R-M3). An update that waits is replaced by the next one. Refused if the activity is unknown or closed, or too
 * much waits (R-S6, R-M2).
 */
export function createInActivity(
  command: CreateInActivity,
  activity: LiveActivity | undefined,
): { readonly events: readonly MessageEvent[]; readonly created: Created | RefusedCreation } {
  const refusal = refusalOf(command, activity);
  if (refusal) return { events: [], created: { refusal } };
  const { code, account, at, draft } = command;
  const { event } = draft.content!.liveActivity!;
  const replaced = replacedBy(event, activity);
  const canceled = replaced
    ? [eventOf({ ...replaced, account, activity: command.activity }, at, { $case: 'canceled', value: {} })]
    : [];
  const value = withTimestamp(draft, timestampOf(at, activity, replaced), { sendAt: at, answer: code });
  const accepted: MessageEventCase = { $case: 'accepted', value };
  const events = [...canceled, eventOf(command, at, accepted)];
  return { events: withReleases(command, activity, events, at), created: { code, answer: code, repeat: false } };
}

/** Completes a message of a live activity, and releases those that waited for it; idempotent. */
export function completeInActivity(
  message: Message,
  activity: LiveActivity | undefined,
  at: Date,
): readonly MessageEvent[] {
  const events = completeMessage(message, at);
  if (events.length === 0) return [];
  return withReleases({ account: message.account, activity: message.activity! }, activity, events, at);
}

const unknownActivity = (at: Date): LiveActivity => ({
  status: 'open',
  startedAt: undefined,
  application: '',
  at,
  timestamp: 0,
  sending: undefined,
  waiting: [],
});

function accepted(activity: LiveActivity, { code, id, at }: MessageEvent, message: MessageAccepted): LiveActivity {
  const { event, timestamp } = message.content?.liveActivity ?? {};
  // The content is redacted: the application is deleted.
  if (event === undefined) return activity;
  const waiting = [...activity.waiting, { code, id: Number(id), event, timestamp: Number(timestamp) }];
  const { sending } = activity;
  const facts = { application: message.applications[0]!, at: at!, timestamp: Number(timestamp), sending, waiting };
  if (event === END) return { ...facts, status: 'closed' };
  const startedAt = event === START ? at! : activity.status === 'open' ? activity.startedAt : undefined;
  return { ...facts, status: 'open', startedAt };
}

/** Applies an event of one of its messages. */
export function evolveActivity(before: LiveActivity | undefined, event: MessageEvent): LiveActivity {
  const activity = before ?? unknownActivity(event.at!);
  const { waiting } = activity;
  const others = waiting.filter(({ code }) => code !== event.code);
  switch (event.event?.$case) {
    case 'accepted':
      return accepted(activity, event, event.event.value);
    case 'released': {
      const released = waiting.find(({ code }) => code === event.code);
      const isSent = released === undefined || released.event === START;
      return { ...activity, waiting: others, sending: isSent ? activity.sending : event.code };
    }
    case 'completed':
    case 'failed':
    case 'canceled':
      return { ...activity, waiting: others, sending: activity.sending === event.code ? undefined : activity.sending };
    default:
      return activity;
  }
}
