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

export type LiveActivity =
  | (ActivityFacts & { readonly status: 'open'; readonly startedAt: Date | undefined })
  | (ActivityFacts & { readonly status: 'closed' });

interface ActivityFacts {
  readonly application: string;
  readonly at: Date;
  readonly timestamp: number;
  readonly sending: string | undefined;
  readonly waiting: readonly WaitingMessage[];
}

export interface WaitingMessage {
  readonly code: string;
  readonly id: number;
  readonly event: LiveActivityEvent;
  readonly timestamp: number;
}

export interface CreateInActivity extends CreateMessage {
  readonly activity: string;
  readonly isKnown: boolean;
}

export interface RefusedCreation {
  readonly refusal: RefusalReason;
}

const OPEN_MS = 12 * 3_600_000;

export const MAX_WAITING = 100;

const {
  LIVE_ACTIVITY_EVENT_START: START,
  LIVE_ACTIVITY_EVENT_UPDATE: UPDATE,
  LIVE_ACTIVITY_EVENT_END: END,
} = LiveActivityEvent;

const isClosed = (activity: LiveActivity, at: Date): boolean =>
  activity.status === 'closed' ||
  (activity.startedAt !== undefined && at.getTime() >= activity.startedAt.getTime() + OPEN_MS);

function refusalOf(
  { draft, isKnown, at }: CreateInActivity,
  activity: LiveActivity | undefined,
): RefusalReason | undefined {
  const isStart = draft.content!.liveActivity!.event === START;
  if (!isStart && !activity && !isKnown) return 'notFound';
  if (!isStart && activity && isClosed(activity, at)) return 'activityClosed';
  return (activity?.waiting.length ?? 0) >= MAX_WAITING ? 'tooManyWaiting' : undefined;
}

function replacedBy(event: LiveActivityEvent, activity: LiveActivity | undefined): WaitingMessage | undefined {
  const last = activity?.waiting.at(-1);
  return event !== START && last?.event === UPDATE ? last : undefined;
}

/** Higher than in everything that was sent. */
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

/** A start holds up no other message. */
function due({ sending, waiting }: LiveActivity): readonly WaitingMessage[] {
  if (sending !== undefined) return [];
  const first = waiting.findIndex(({ event }) => event !== START);
  return first < 0 ? waiting : waiting.slice(0, first + 1);
}

const applied = (activity: LiveActivity | undefined, events: readonly MessageEvent[]): LiveActivity | undefined =>
  events.reduce<LiveActivity | undefined>(evolveActivity, activity);

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

/** Updates are sent one at a time, and a waiting one is replaced by the next (R-M3). */
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
  if (event === undefined) return activity;
  const waiting = [...activity.waiting, { code, id: Number(id), event, timestamp: Number(timestamp) }];
  const { sending } = activity;
  const facts = { application: message.applications[0]!, at: at!, timestamp: Number(timestamp), sending, waiting };
  if (event === END) return { ...facts, status: 'closed' };
  const startedAt = event === START ? at! : activity.status === 'open' ? activity.startedAt : undefined;
  return { ...facts, status: 'open', startedAt };
}

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
