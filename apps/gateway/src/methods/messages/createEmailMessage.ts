import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { createMessages } from './createMessage.ts';
import { notificationPaths } from './draft.ts';

export const createEmailMessage: Handler<typeof api.createEmailMessage> = async (
  { application, notifications },
  context,
  call,
) => {
  const asked = notifications.map(({ message, registers, isCapped }, index) => ({
    ...{ notification: message, paths: notificationPaths(index), isAlwaysStored: true, isEmail: true, isCapped },
    ...(registers ? { unknownContacts: 'register' as const } : {}),
  }));
  await createMessages({ applications: [application], group: '', asked }, context, call);
};
