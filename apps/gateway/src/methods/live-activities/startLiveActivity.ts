import { randomUUID } from 'node:crypto';
import type { api } from '@tidings/contract';
import { LiveActivity, LiveActivityEvent } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { acceptMessages } from '../messages/accept-messages.ts';
import { createdMessages } from '../messages/created-messages.ts';
import { notificationPaths } from '../messages/paths.ts';

export const startLiveActivity: Handler<typeof api.startLiveActivity, 'access' | 'messages'> = async (
  { application, notifications },
  context,
  call,
) => {
  const messages = notifications.map(({ message, id = randomUUID(), ...live }, index) => ({
    notification: message,
    paths: notificationPaths(index),
    isAlwaysStored: true,
    bySiblings: true,
    liveActivity: LiveActivity.fromPartial({ ...live, id, event: LiveActivityEvent.LIVE_ACTIVITY_EVENT_START }),
  }));
  const created = await acceptMessages({ applications: [application], group: '', messages }, context, call);
  return createdMessages(
    notifications.map(({ message }) => message),
    created,
  );
};
