import { type api, type Notification, UNREADABLE_DATE } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { CreatedMessage, PreparedAudience } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { audienceOf, draftOf } from './draft.ts';

const MAX_AHEAD_MS = 365 * 86_400_000;

/** Scheduling comes later: until then a date ahead is refused, not sent at once. */
function refuseFuture(notifications: readonly Notification[], now: number): void {
  notifications.forEach(({ sendAt }, index) => {
    const aheadMs = (sendAt?.getTime() ?? now) - now;
    if (aheadMs <= 0) return;
    const reason = aheadMs > MAX_AHEAD_MS ? UNREADABLE_DATE : 'future dates are not served yet';
    throw Fault.argument(`notifications[${index}].send_date: ${reason}`);
  });
}

/** Unknown devices by the value that their message answers; a repeat names none (R-I1, R-I6, R-I10). */
function unknownDevices(
  created: readonly CreatedMessage[],
  audiences: readonly PreparedAudience[],
): Record<string, string[]> | undefined {
  const unknown: Record<string, string[]> = {};
  created.forEach(({ answer, repeat }, index) => {
    const names = audiences[index]?.unknown ?? [];
    if (!repeat && names.length > 0) unknown[answer] = [...new Set([...(unknown[answer] ?? []), ...names])];
  });
  return Object.keys(unknown).length > 0 ? unknown : undefined;
}

export const createMessage: Handler<typeof api.createMessage> = async (
  { application, notifications },
  { devices, messages, clock },
  { account },
) => {
  const now = clock.now();
  refuseFuture(notifications, now);
  const prepared = await devices.prepare({ account, application, audiences: notifications.map(audienceOf) });
  const debugUntil = prepared.application?.debugUntil?.getTime() ?? 0;
  const circumstances = { application, debug: debugUntil > now, now: new Date(now) };
  const drafts = notifications.map((notification, index) => {
    const audience = prepared.audiences[index];
    if (!audience) throw Fault.bug('the registry left an audience unresolved');
    return draftOf(notification, audience, circumstances);
  });
  const { messages: created } = await messages.create({ account, drafts });
  const unknown = unknownDevices(created, prepared.audiences);
  return { Messages: created.map(({ answer }) => answer), ...(unknown ? { UnknownDevices: unknown } : {}) };
};
