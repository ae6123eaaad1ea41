import { openConnection } from './connection.ts';
import { inboxMethods, profileMethods } from './device-methods.ts';
import type { Push } from './notification.ts';
import { subscriptionMethods } from './subscription-methods.ts';
import type { ConnectOptions, WebDevice } from './web-device.ts';

const onPush: WebDevice['onPush'] = (listener) => {
  const received = ({ data }: MessageEvent<{ readonly tidings?: Push } | null>): void => {
    if (data?.tidings) listener(data.tidings);
  };
  navigator.serviceWorker?.addEventListener('message', received);
  return () => navigator.serviceWorker?.removeEventListener('message', received);
};

/** Stores the options for the service worker, and sends nothing. */
export function connect(options: ConnectOptions): WebDevice {
  const connection = openConnection(options);
  return {
    hwid: async () => (await connection.current()).hwid,
    ...subscriptionMethods(connection),
    ...profileMethods(connection),
    ...inboxMethods(connection),
    onPush,
  };
}
