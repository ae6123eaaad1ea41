import type { api } from '@tidings/contract';
import { LiveActivity, LiveActivityEvent } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { acceptMessages } from '../messages/accept-messages.ts';
import { notificationPaths } from '../messages/paths.ts';

const events = {
  update: LiveActivityEvent.LIVE_ACTIVITY_EVENT_UPDATE,
  end: LiveActivityEvent.LIVE_ACTIVITY_EVENT_END,
};

/** Smaller numbers are seconds from now (R-M4). */
const UNIX_FROM = 1_000_000_000;

const unixSeconds = (date: number | undefined, nowMs: number): bigint | undefined =>
  date === undefined ? undefined : BigInt(date < UNIX_FROM ? Math.floor(nowMs / 1000) + date : date);

export const updateLiveActivity: Handler<typeof api.updateLiveActivity, 'access' | 'clock' | 'messages'> = async (
  { application, notifications },
  context,
  call,
) => {
  const now = context.clock.now();
  const messages = notifications.map(({ message, ...live }, index) => ({
    notification: message,
    paths: notificationPaths(index),
    isAlwaysStored: true,
    liveActivity: LiveActivity.fromPartial({
      id: live.id,
      event: events[live.event],
      contentState: live.contentState,
      staleDate: unixSeconds(live.staleDate, now),
      dismissalDate: live.event === 'end' ? unixSeconds(live.dismissalDate, now) : undefined,
      relevanceScore: live.relevanceScore === undefined ? undefined : BigInt(live.relevanceScore),
    }),
  }));
  const created = await acceptMessages({ applications: [application], group: '', messages }, context, call);
  return { Messages: created.map(({ answer }) => answer) };
};
