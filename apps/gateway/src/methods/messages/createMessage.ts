import type { api, Notification } from '@tidings/contract';
import type { CreatedMessage } from '@tidings/rpc';
import { authorizeGroup } from '../../auth/application-access.ts';
import type { Handler } from '../../context.ts';
import { acceptMessages } from './accept-messages.ts';
import { notificationPaths } from './paths.ts';

/** Recipients of these kinds are told if they are unknown; users are not (R-I4). */
const LISTED_UNKNOWN: ReadonlySet<string> = new Set(['devices', 'to'] satisfies Notification['recipients']['kind'][]);

/** Unknown devices, keyed by the value of their message in the reply (R-I1, R-I4, R-I6). */
export function unknownDevices(
  notifications: readonly Notification[],
  created: readonly CreatedMessage[],
): Record<string, string[]> | undefined {
  const unknown: Record<string, string[]> = {};
  created.forEach(({ answer, unknown: names }, index) => {
    if (names.length === 0 || !LISTED_UNKNOWN.has(notifications[index]?.recipients.kind ?? '')) return;
    unknown[answer] = [...new Set([...(unknown[answer] ?? []), ...names])];
  });
  return Object.keys(unknown).length > 0 ? unknown : undefined;
}

export const createMessage: Handler<typeof api.createMessage, 'access' | 'accounts' | 'messages'> = async (
  { application, group, notifications },
  context,
  call,
) => {
  const applications = group === '' ? [application] : await authorizeGroup(context, call, group);
  // For a group, sibling conditions are off: a device of one application must not match through its sibling in another.
  const bySiblings = group === '';
  const messages = notifications.map((notification, index) => ({
    notification,
    paths: notificationPaths(index),
    bySiblings,
  }));
  const created = await acceptMessages({ applications, group, messages }, context, call);
  const unknown = unknownDevices(notifications, created);
  return { Messages: created.map(({ answer }) => answer), ...(unknown ? { UnknownDevices: unknown } : {}) };
};
