import type { api } from '@tidings/contract';
import { authorizeGroup } from '../../auth/application-access.ts';
import type { Handler } from '../../context.ts';
import { createChannelMessages } from './channel-message.ts';

export const createEmailMessage: Handler<typeof api.createEmailMessage> = async (
  { application, group, notifications },
  context,
  call,
) => {
  const applications = group === '' ? [application] : await authorizeGroup(context, call, group);
  const messages = notifications.map(({ message, registers, isCapped }) => ({
    notification: message,
    isEmail: true,
    hasEmailPreset: true,
    isCapped,
    ...(registers ? { unknownContacts: 'register' as const } : {}),
  }));
  await createChannelMessages({ applications, group }, messages, context, call);
};
