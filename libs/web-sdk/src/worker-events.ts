import { badgeOf, linkOf, notificationOf, type NotificationTarget, type Push } from './notification.ts';
import { statusOf } from './inbox.ts';
import { report } from './reports.ts';
import { sleep, withRetries } from './retry.ts';
import { readDevice } from './browser-store.ts';
import { registerSubscription, subscriptionWith } from './subscription.ts';

type Scope = ServiceWorkerGlobalScope;

const windows = (scope: Scope): Promise<readonly WindowClient[]> =>
  scope.clients.matchAll({ type: 'window', includeUncontrolled: true });

async function show(scope: Scope, push: Push): Promise<void> {
  const device = await readDevice().catch(() => undefined);
  const shown = notificationOf(push, { title: device?.title ?? scope.location.hostname, icon: device?.icon });
  if (!shown) return;
  await scope.registration.showNotification(shown.title, shown.options);
  if (shown.durationMs === undefined) return;
  await sleep(shown.durationMs);
  const { tag } = shown.options;
  for (const notification of await scope.registration.getNotifications(tag ? { tag } : {})) {
    const { tidings } = (notification.data ?? {}) as { readonly tidings?: NotificationTarget };
    if (tidings && tidings.hash === push.p) notification.close();
  }
}

/** Badges belong to installed sites; others refuse them. */
async function showBadge(scope: Scope, badge: number | undefined): Promise<void> {
  if (badge !== undefined) await scope.navigator.setAppBadge?.(badge);
}

async function announce(scope: Scope, push: Push): Promise<void> {
  for (const page of await windows(scope)) page.postMessage({ tidings: push });
}

export async function onPush(scope: Scope, push: Push): Promise<void> {
  const { p: hash } = push;
  const showing = show(scope, push);
  await Promise.allSettled([
    showing,
    hash && report('messageDeliveryEvent', { hash }),
    showBadge(scope, badgeOf(push)),
    announce(scope, push),
  ]);
  // The browser logs why nothing is shown.
  return showing;
}

/** Focuses a window that shows the link; without a link, any window of the site. */
async function visit(scope: Scope, link: string | undefined): Promise<unknown> {
  const { href } = new URL(link ?? '/', scope.location.href);
  const pages = await windows(scope);
  const page = pages.find(({ url }) => url === href) ?? (link === undefined ? pages[0] : undefined);
  return page ? page.focus() : scope.clients.openWindow(href);
}

async function reportInbox(code: string): Promise<void> {
  const device = await readDevice();
  if (device) await report('inboxStatus', statusOf(device, code, 'opened'));
}

/** Leaves notifications alone that are not of Tidings. */
export async function onClick(scope: Scope, notification: Notification, action: string): Promise<void> {
  const { tidings } = (notification.data ?? {}) as { readonly tidings?: NotificationTarget };
  if (!tidings) return;
  notification.close();
  const { hash, inbox } = tidings;
  await Promise.allSettled([
    // First: browsers open windows only right after a click.
    visit(scope, linkOf(tidings, action)),
    hash && report('pushStat', { hash }),
    inbox && reportInbox(inbox),
  ]);
}

/** Without success the next visit of a page registers the subscription. */
export async function onSubscriptionChange(scope: Scope): Promise<void> {
  const device = await readDevice();
  if (!device?.isSubscribed || device.vapidKey === undefined) return;
  const { vapidKey } = device;
  const subscription = await subscriptionWith(scope.registration.pushManager, vapidKey, vapidKey);
  await withRetries(() => registerSubscription(device, subscription, vapidKey));
}
