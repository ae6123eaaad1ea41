import type { api } from '@tidings/contract';
import { authorizeGroup } from '../../auth/application-access.ts';
import type { Handler } from '../../context.ts';
import { acceptMessages } from './accept-messages.ts';
import { registering } from './contacts.ts';
import { notificationPaths } from './paths.ts';

export const createEmailMessage: Handler<
  typeof api.createEmailMessage,
  'access' | 'accounts' | 'disposableDomains' | 'messages'
> = async ({ application, group, notifications }, context, call) => {
  const applications = group === '' ? [application] : await authorizeGroup(context, call, group);
  const messages = notifications.map(({ message: notification, registers, isCapped }, index) => ({
    notification,
    paths: notificationPaths(index),
    isAlwaysStored: true,
    isEmail: true,
    hasEmailPreset: true,
    isCapped,
    ...(registers && registering(notification, context, call)),
  }));
  await acceptMessages({ applications, group, messages }, context, call);
};
