import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { createChannelMessages } from './channel-message.ts';

export const createKakaoMessage: Handler<typeof api.createKakaoMessage> = async (
  { application, notifications },
  ...origin
) => {
  const messages = notifications.map((notification) => ({ notification, unknownContacts: 'register' as const }));
  return { Messages: await createChannelMessages({ applications: [application], group: '' }, messages, ...origin) };
};
