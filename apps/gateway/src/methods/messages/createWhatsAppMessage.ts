import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { acceptMessages } from './accept-messages.ts';
import { refusing, registering } from './contacts.ts';
import { notificationPaths } from './paths.ts';

export const createWhatsAppMessage: Handler<
  typeof api.createWhatsAppMessage,
  'access' | 'disposableDomains' | 'messages'
> = async ({ application, notifications }, context, call) => {
  const messages = notifications.map(({ message: notification, registers }, index) => ({
    notification,
    paths: notificationPaths(index),
    isAlwaysStored: true,
    ...(registers ? registering(notification, context, call) : refusing),
  }));
  const created = await acceptMessages({ applications: [application], group: '', messages }, context, call);
  return { Messages: created.map(({ answer }) => answer) };
};
