import type { api } from '@tidings/contract';
import { authorizeGroup } from '../../auth/application-access.ts';
import type { Handler } from '../../context.ts';
import { acceptMessages } from './accept-messages.ts';
import { createdMessages } from './created-messages.ts';
import { notificationPaths } from './paths.ts';

export const createMessage: Handler<typeof api.createMessage, 'access' | 'accounts' | 'messages'> = async (
  { application, group, notifications },
  context,
  call,
) => {
  const applications = group === '' ? [application] : await authorizeGroup(context, call, group);
  // A device must not match through its sibling in another application of the group.
  const bySiblings = group === '';
  const messages = notifications.map((notification, index) => ({
    notification,
    paths: notificationPaths(index),
    bySiblings,
  }));
  const created = await acceptMessages({ applications, group, messages }, context, call);
  return createdMessages(notifications, created);
};
