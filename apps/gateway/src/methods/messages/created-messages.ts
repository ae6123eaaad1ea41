import type { Notification } from '@tidings/contract';
import type { CreatedMessage } from '@tidings/rpc';

/** Unknown users are not disclosed (R-I4). */
const LISTED_UNKNOWN: ReadonlySet<string> = new Set(['devices', 'to'] satisfies Notification['recipients']['kind'][]);

function unknownDevices(
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

export function createdMessages(notifications: readonly Notification[], created: readonly CreatedMessage[]) {
  const unknown = unknownDevices(notifications, created);
  return { Messages: created.map(({ answer }) => answer), ...(unknown ? { UnknownDevices: unknown } : {}) };
}
