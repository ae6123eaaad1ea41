import { z } from 'zod';
import { applicationCode } from '../fields/application.ts';
import type { EntryList } from '../method.ts';
import { array, object } from '../values.ts';

const MAX_NOTIFICATIONS = 1000;
const WRONG_LENGTH = `must have 1 to ${MAX_NOTIFICATIONS} entries`;

export const notificationEntries: EntryList = {
  field: 'notifications',
  max: MAX_NOTIFICATIONS,
  tooMany: WRONG_LENGTH,
  perStep: 2,
};

const CODES = 'Codes of the messages, one for each notification and in the same order.';

const messageCodes = z.array(z.string()).describe(CODES);

export const availableMessageCodes = messageCodes.describe(
  `${CODES} A small message to named recipients has \`CODE_NOT_AVAILABLE\`.`,
);

export const unknownDevices = z
  .record(z.string(), z.array(z.string()))
  .optional()
  .describe('Entries of `devices` that are not registered, by code of the message; absent if there are none.');

export const notificationsOf = <Element extends z.ZodType>(element: Element) =>
  array(element)
    .min(1, WRONG_LENGTH)
    .max(MAX_NOTIFICATIONS, WRONG_LENGTH)
    .describe('The messages to send. If one is refused, none is sent.');

export const notificationsCall = <Notification extends z.ZodType>(notification: Notification) =>
  ({
    entries: notificationEntries,
    scope: 'api',
    messagesOn210: true,
    input: object({ application: applicationCode, notifications: notificationsOf(notification) }),
    output: z.object({ Messages: messageCodes }),
  }) as const;
