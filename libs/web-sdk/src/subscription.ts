import { callMethod } from './call.ts';
import { failure, messageOf } from './failure.ts';
import { type StoredDevice, updateDevice } from './browser-store.ts';

const CHROME = 11;
const FIREFOX = 12;

/** The platform whose settings of web push the API uses. Safari subscribes with a VAPID key as Chrome does. */
export const deviceType = (): number => (navigator.userAgent.includes('Firefox/') ? FIREFOX : CHROME);

export const base64url = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Compares with the stored key in browsers that do not show the key of a subscription. */
export const hasKey = (
  key: string,
  applicationServerKey: ArrayBuffer | null | undefined,
  storedKey: string | undefined,
): boolean =>
  key ===
  (applicationServerKey ? base64url(btoa(String.fromCharCode(...new Uint8Array(applicationServerKey)))) : storedKey);

async function subscribe(manager: PushManager, key: string): Promise<PushSubscription> {
  try {
    return await manager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch (cause) {
    throw failure('refused', `The browser cannot subscribe: ${messageOf(cause)}`, cause);
  }
}

/** @param key in base64url. A subscription with another key ends: push services would refuse its pushes. */
export async function subscriptionWith(
  manager: PushManager,
  key: string,
  storedKey?: string,
): Promise<PushSubscription> {
  const existing = await manager.getSubscription();
  if (existing && hasKey(key, existing.options.applicationServerKey, storedKey)) return existing;
  await existing?.unsubscribe();
  return subscribe(manager, key);
}

export const timezoneSeconds = (): number => -60 * new Date().getTimezoneOffset();

export const languageOf = (device: StoredDevice): string =>
  (device.language ?? navigator.language).slice(0, 2).toLowerCase();

/** Does nothing if the subscription is registered. */
export async function registerSubscription(
  device: StoredDevice,
  subscription: PushSubscription,
  vapidKey: string,
): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  if (device.endpoint === endpoint && device.vapidKey === vapidKey) return;
  await callMethod(device, 'registerDevice', {
    hwid: device.hwid,
    device_type: deviceType(),
    push_token: endpoint,
    public_key: keys?.['p256dh'],
    auth_token: keys?.['auth'],
    language: languageOf(device),
    timezone: timezoneSeconds(),
    userId: device.userId,
  });
  await updateDevice((stored) => ({ ...device, ...stored, endpoint, vapidKey }));
}
