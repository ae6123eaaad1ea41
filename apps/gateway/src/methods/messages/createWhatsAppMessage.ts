import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { createMessages } from './createMessage.ts';
import { notificationPaths } from './draft.ts';

export const createWhatsAppMessage: Handler<typeof api.createWhatsAppMessage> = async (
  { application, notifications },
  context,
  call,
) => {
  const asked = notifications.map(({ message, registers }, index) => ({
    notification: message,
    paths: notificationPaths(index),
    isAlwaysStored: true,
    unknownContacts: registers ? ('register' as const) : ('refuse' as const),
  }));
  const { created } = await createMessages({ applications: [application], group: '', asked }, context, call);
  return { Messages: created.map(({ answer }) => answer) };
};
