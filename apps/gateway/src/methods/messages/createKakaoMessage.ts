import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { createMessages } from './createMessage.ts';
import { notificationPaths } from './draft.ts';

export const createKakaoMessage: Handler<typeof api.createKakaoMessage> = async (
  { application, notifications },
  context,
  call,
) => {
  const asked = notifications.map((notification, index) => ({
    notification,
    paths: notificationPaths(index),
    isAlwaysStored: true,
    unknownContacts: 'register' as const,
  }));
  const { created } = await createMessages({ applications: [application], group: '', asked }, context, call);
  return { Messages: created.map(({ answer }) => answer) };
};
