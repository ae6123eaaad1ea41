import { callMethod } from './call.ts';
import { failure } from './failure.ts';
import { type StoredDevice, updateDevice } from './browser-store.ts';
import { base64url, registerSubscription, subscriptionWith } from './subscription.ts';

interface Config {
  readonly features: { readonly vapid_key?: string };
}

export async function vapidKeyOf(device: StoredDevice): Promise<string> {
  const { features } = (await callMethod(device, 'getConfig', { features: ['vapid_key'] })) as Config;
  if (features.vapid_key !== undefined) return features.vapid_key;
  throw failure('unconfigured', `Application ${device.application} has no VAPID key: configure Chrome or Firefox.`);
}

/** Subscribes, anew if the application has another VAPID key than before, and registers what changed. */
export async function renewSubscription(
  device: StoredDevice,
  registration: ServiceWorkerRegistration,
  givenKey: string | undefined,
): Promise<void> {
  const vapidKey = base64url(givenKey ?? (await vapidKeyOf(device)));
  const subscription = await subscriptionWith(registration.pushManager, vapidKey, device.vapidKey);
  await registerSubscription(device, subscription, vapidKey);
  await updateDevice((stored) => ({ ...device, ...stored, isSubscribed: true }));
}
