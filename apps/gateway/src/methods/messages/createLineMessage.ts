import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { acceptMessages } from './accept-messages.ts';
import { registering } from './contacts.ts';
import { notificationPaths } from './paths.ts';

export const createLineMessage: Handler<
  typeof api.createLineMessage,
  'access' | 'disposableDomains' | 'messages'
> = async ({ application, notifications }, context, call) => {
  const messages = notifications.map((notification, index) => ({
    notification,
    paths: notificationPaths(index),
    isAlwaysStored: true,
    ...registering(notification, context, call),
  }));
  const created = await acceptMessages({ applications: [application], group: '', messages }, context, call);
  return { Messages: created.map(({ answer }) => answer) };
};
