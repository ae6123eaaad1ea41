import { randomUUID } from 'node:crypto';
import type { api } from '@tidings/contract';
import { LiveActivity, LiveActivityEvent } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { createMessages, unknownDevices } from '../messages/createMessage.ts';
import { notificationPaths } from '../messages/draft.ts';

export const startLiveActivity: Handler<typeof api.startLiveActivity> = async (
  { application, notifications },
  context,
  call,
) => {
  const asked = notifications.map(({ message, id = randomUUID(), ...live }, index) => ({
    notification: message,
    paths: notificationPaths(index),
    isAlwaysStored: true,
    bySiblings: true,
    liveActivity: LiveActivity.fromPartial({ ...live, id, event: LiveActivityEvent.LIVE_ACTIVITY_EVENT_START }),
  }));
  const { created, audiences } = await createMessages({ applications: [application], group: '', asked }, context, call);
  const unknown = unknownDevices(
    notifications.map(({ message }) => message),
    created,
    audiences,
  );
  return { Messages: created.map(({ answer }) => answer), ...(unknown ? { UnknownDevices: unknown } : {}) };
};
