import type { api, Notification } from '@tidings/contract';
import type { Call, Context, Handler } from '../../context.ts';
import { acceptMessages } from './accept-messages.ts';
import { refusing, registering } from './contacts.ts';
import { notificationPaths } from './paths.ts';

type Sending = 'access' | 'disposableDomains' | 'messages';

interface ContactMessages {
  readonly application: string;
  readonly notifications: readonly {
    readonly message: Notification;
    readonly registers: boolean;
  }[];
}

async function createMessages(
  { application, notifications }: ContactMessages,
  context: Pick<Context, Sending>,
  call: Call,
) {
  const messages = notifications.map(({ message: notification, registers }, index) => ({
    notification,
    paths: notificationPaths(index),
    isAlwaysStored: true,
    ...(registers ? registering(notification, context, call) : refusing),
  }));
  const created = await acceptMessages({ applications: [application], group: '', messages }, context, call);
  return { Messages: created.map(({ answer }) => answer) };
}

export const createSMSMessage: Handler<typeof api.createSMSMessage, Sending> = createMessages;

export const createWhatsAppMessage: Handler<typeof api.createWhatsAppMessage, Sending> = createMessages;

export const createLineMessage: Handler<typeof api.createLineMessage, Sending> = (
  { application, notifications },
  context,
  call,
) => {
  const registered = notifications.map((message) => ({ message, registers: true }));
  return createMessages({ application, notifications: registered }, context, call);
};

export const createKakaoMessage: Handler<typeof api.createKakaoMessage, Sending> = createLineMessage;
