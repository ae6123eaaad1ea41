import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { createChannelMessages } from './channel-message.ts';

export const createEmailMessage: Handler<typeof api.createEmailMessage> = async (
  { application, notifications },
  ...origin
) => {
  const messages = notifications.map(({ message, registers, isCapped }) => ({
    ...{ notification: message, isEmail: true, isCapped },
    ...(registers ? { unknownContacts: 'register' as const } : {}),
  }));
  await createChannelMessages(application, messages, ...origin);
};
