import type { Connection } from './connection.ts';
import { hasWebPush, requestPermission } from './permission.ts';
import { renewSubscription } from './renewal.ts';
import { sendStoredReports } from './reports.ts';
import { withRetries } from './retry.ts';
import { registeredWorker, registerWorker } from './service-worker.ts';
import { languageOf, timezoneSeconds } from './subscription.ts';
import type { WebDevice } from './web-device.ts';

type SubscriptionMethods = Pick<WebDevice, 'state' | 'subscribe' | 'unsubscribe' | 'open'>;

export function subscriptionMethods({
  options,
  current,
  change,
  call,
  callAsBrowser,
}: Connection): SubscriptionMethods {
  const { worker = '/tidings-worker.js', scope, vapidKey } = options;

  const renew = async (): Promise<void> => {
    const registration = await registerWorker(worker, scope);
    const device = await current();
    await withRetries(() => renewSubscription(device, registration, vapidKey));
  };

  const state: WebDevice['state'] = async () => {
    if (!hasWebPush()) return 'unsupported';
    if (Notification.permission === 'denied') return 'blocked';
    const { isSubscribed } = await current();
    return isSubscribed && Notification.permission === 'granted' ? 'subscribed' : 'unsubscribed';
  };

  return {
    state,
    async subscribe() {
      await requestPermission();
      await renew();
    },
    async unsubscribe() {
      await change({ isSubscribed: false, endpoint: undefined });
      const registration = await registeredWorker(worker, scope);
      await (await registration?.pushManager.getSubscription())?.unsubscribe();
      await call('unregisterDevice');
    },
    async open() {
      if ((await state()) !== 'subscribed') return;
      await renew();
      const language = languageOf(await current());
      await callAsBrowser('applicationOpen', { language, timezone: timezoneSeconds() });
      await sendStoredReports();
    },
  };
}
