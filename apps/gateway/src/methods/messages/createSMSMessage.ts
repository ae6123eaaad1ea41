import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { createChannelMessages } from './channel-message.ts';

export const createSMSMessage: Handler<typeof api.createSMSMessage> = async (
  { application, notifications },
  ...origin
) => {
  const messages = notifications.map(({ message, registers }) => ({
    notification: message,
    unknownContacts: registers ? ('register' as const) : ('refuse' as const),
  }));
  return { Messages: await createChannelMessages({ applications: [application], group: '' }, messages, ...origin) };
};
